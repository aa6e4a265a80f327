# Defines placement::cuda from the toolkit on the consumer's machine; nothing about CUDA is fixed at install time.
# A program that links it starts without a toolkit or driver: the runtime is linked statically, and the driver is loaded
# with dlopen.
# Used by this project's build and by find_package(placement COMPONENTS cuda).
find_package(CUDAToolkit QUIET GLOBAL) # also for a parent project that uses add_subdirectory
if(CUDAToolkit_FOUND AND NOT TARGET placement::cuda)
  if(NOT placement_cuda_runtime) # another one only for the project's tests on an emulated GPU
    set(placement_cuda_runtime CUDA::cudart_static)
  endif()
  add_library(placement::cuda INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::cuda INTERFACE placement::placement ${placement_cuda_runtime} ${CMAKE_DL_LIBS})

  # CUDA 13 moved the CCCL headers. nvcc finds them, but host compilers and CMake before 3.31.9 do not.
  foreach(include_dir IN LISTS CUDAToolkit_INCLUDE_DIRS)
    if(EXISTS ${include_dir}/cccl/cuda/std/version)
      target_include_directories(placement::cuda SYSTEM INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${include_dir}/cccl>")
    endif()
  endforeach()

  # An op without PLACEMENT_HD would be compiled into an empty kernel, with only a warning.
  target_compile_options(placement::cuda INTERFACE
    "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Werror cross-execution-space-call>")

  if(CMAKE_CUDA_COMPILER_LOADED)
    if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
      target_compile_features(placement::cuda INTERFACE cuda_std_20)
    else() # CMake 3.25.1 does not know that nvcc supports C++20
      target_compile_options(placement::cuda INTERFACE "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>")
    endif()
  endif()

  # The library's own code that uses CUDA is compiled once, too. It needs only the toolkit's headers.
  if(TARGET placement_definitions)
    add_library(placement_definitions_cuda STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/definitions_cuda.cpp)
    target_link_libraries(placement_definitions_cuda PUBLIC placement_definitions ${placement_cuda_runtime})
    set_target_properties(placement_definitions_cuda PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(placement::cuda INTERFACE placement_definitions_cuda)
    target_compile_definitions(placement::cuda INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:PLACEMENT_COMPILED>")
  endif()
endif()
