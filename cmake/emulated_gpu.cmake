# placement_nvcc_tests(target prefix source default_gpus): the TEST_CASEs of a program that nvcc compiled. As
# placement_discover_tests registers them; with PLACEMENT_EMULATED_GPU on two emulated GPUs, with the label emulated_gpu. The
# preset cuda builds them only in nightly runs, see gpu_programs.cmake.
#
# With PLACEMENT_EMULATED_GPU nvcc compiles to PTX alone, uncompressed, and programs link a CUDA runtime of the tests in place
# of NVIDIA's. Then the driver of tests/cuda/fake runs their kernels.
function(placement_nvcc_tests target prefix source default_gpus)
  if(NOT PLACEMENT_EMULATED_GPU)
    if(TARGET placement_cuda_tests AND DEFINED ENV{PLACEMENT_NIGHTLY})
      add_dependencies(placement_cuda_tests ${target})
    endif()
    placement_discover_tests(${target} ${prefix} ${source} ${default_gpus})
    return()
  endif()
  placement_on_emulated_gpus(${target})
  set_property(TARGET ${target} PROPERTY placement_test_label emulated_gpu)
  placement_discover_tests(${target} ${prefix} none 0)
endfunction()

# placement_on_emulated_gpus(target): the program uses the emulated GPUs. Its tests fail without one, by the macro.
function(placement_on_emulated_gpus target)
  target_compile_definitions(${target} PRIVATE PLACEMENT_EMULATED_GPU)
  # searched before LD_LIBRARY_PATH and NVIDIA's driver
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${PROJECT_BINARY_DIR}/tests/cuda/fake)
  add_dependencies(${target} test_cuda_driver)
  add_dependencies(placement_emulated_gpu_tests ${target})
endfunction()

if(NOT PLACEMENT_EMULATED_GPU)
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER_LOADED)
  message(FATAL_ERROR "placement: PLACEMENT_EMULATED_GPU=ON, but no CUDA compiler was found. Put nvcc on PATH or set CUDACXX.")
endif()
set(CMAKE_CUDA_ARCHITECTURES 80-virtual)
if(DEFINED ENV{PLACEMENT_NIGHTLY}) # EMULATED_GPU_CAPABILITY chooses among them
  list(APPEND CMAKE_CUDA_ARCHITECTURES 90-virtual 120-virtual)
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
string(APPEND CMAKE_CUDA_FLAGS " --no-compress")

find_package(CUDAToolkit REQUIRED)
add_library(placement_emulated_runtime STATIC ${PROJECT_SOURCE_DIR}/tests/cuda/runtime/cudart.cpp)
target_compile_features(placement_emulated_runtime PRIVATE cxx_std_20)
target_include_directories(placement_emulated_runtime SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
set_target_properties(placement_emulated_runtime PROPERTIES
  CXX_VISIBILITY_PRESET hidden
  POSITION_INDEPENDENT_CODE ON)
set(placement_cuda_runtime placement_emulated_runtime)
add_custom_target(placement_emulated_gpu_tests)
