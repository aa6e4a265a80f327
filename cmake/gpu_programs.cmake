# placement_gpu_program(target kind): a program that ./dev gpu runs on a GPU, in on_gpu/<kind>/ of the build folder. The
# kind is a test, an example or a benchmark. `placement_gpu_programs` builds them all, `placement_cuda_tests` the tests that
# need nvcc.
if(CMAKE_CUDA_COMPILER_LOADED)
  add_custom_target(placement_gpu_programs)
  add_custom_target(placement_cuda_tests)
endif()

function(placement_gpu_program target kind)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/on_gpu/${kind})
  add_dependencies(placement_gpu_programs ${target})
  add_dependencies(placement_cuda_tests ${target})
endfunction()
