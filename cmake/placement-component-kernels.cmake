# Defines placement::kernels: kernels for NVIDIA GPUs of common expressions, for the C++ files of a program. They are
# compiled by the consumer's nvcc, for the consumer's architectures, and only if a target links them. See
# kernels/expressions.hpp beside this file for the expressions.
#
# An object library, because the linker would drop the objects of a static one: no symbol of a program refers to them. For
# the same reason link it to the executable or shared library itself, and not to a static library in between.
#
# Used by this project's build and by find_package(placement COMPONENTS kernels). Needs the language CUDA in the project.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-cuda.cmake)
if(TARGET placement::cuda AND CMAKE_CUDA_COMPILER_LOADED AND NOT TARGET placement::kernels)
  set(placement_kernel_sources floats doubles integers rows)
  list(TRANSFORM placement_kernel_sources REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/kernels/\\1.cu")
  add_library(placement_kernels OBJECT EXCLUDE_FROM_ALL ${placement_kernel_sources})
  unset(placement_kernel_sources)
  add_library(placement::kernels ALIAS placement_kernels)
  target_link_libraries(placement_kernels PUBLIC placement::cuda)
  set_target_properties(placement_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
