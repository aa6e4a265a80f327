# placement_gpu_program(target kind): a program that ./dev gpu runs on a GPU, in on_gpu/<kind>/ of the build folder. The
# kind is a test, an example or a benchmark. `placement_gpu_programs` builds them all.
#
# `placement_cuda_tests` builds what the preset cuda tests. Without PLACEMENT_NIGHTLY it leaves out the programs that the
# preset emulated_gpu builds and runs, and the benchmarks. Nothing of them runs without a GPU, and nvcc takes minutes.
if(CMAKE_CUDA_COMPILER_LOADED)
  add_custom_target(placement_gpu_programs)
  add_custom_target(placement_cuda_tests)
endif()

function(placement_gpu_program target kind)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/on_gpu/${kind})
  add_dependencies(placement_gpu_programs ${target})
  if(kind STREQUAL "examples" OR DEFINED ENV{PLACEMENT_NIGHTLY})
    add_dependencies(placement_cuda_tests ${target})
  endif()
endfunction()
