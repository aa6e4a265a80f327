# Makes placement::kernels: kernels for NVIDIA GPUs of the expressions that many programs have, for the files of a program
# that no CUDA compiler built. They are compiled by the consumer's nvcc, for the consumer's architectures, and only where
# somebody links them. Which expressions: kernels/expressions.hpp beside this file.
#
# An object library, because a static one would lose them: nothing in a program names what they register. For the same
# reason link it to the executable or shared library itself, and not to a static library in between.
#
# Used by our own build and by find_package(placement COMPONENTS kernels). Needs the language CUDA in the project.
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
