# Defines placement::cub: sorts of long rows, selections and histograms on GPUs by CUB, for all files of a program. CUB is compiled once, by the
# consumer's nvcc for the consumer's architectures, and only if a target links it.
#
# An object library for the reason that placement-component-kernels.cmake states: link it to the executable or shared library.
#
# Used by this project's build and by find_package(placement COMPONENTS cub). Needs the language CUDA in the project.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-thrust.cmake)
if(TARGET placement::thrust AND CMAKE_CUDA_COMPILER_LOADED AND NOT TARGET placement::cub)
  add_library(placement_cub OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/kernels/cub.cu)
  add_library(placement::cub ALIAS placement_cub)
  target_link_libraries(placement_cub PUBLIC placement::cuda)
  set_target_properties(placement_cub PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
