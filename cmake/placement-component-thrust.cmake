# Defines placement::thrust: placement::cuda, and the Thrust and CUB headers of the consumer's toolkit.
# Used by this project's build and by find_package(placement COMPONENTS thrust). Optional: nvcc needs seconds longer for a
# file that includes them.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-cuda.cmake)
if(TARGET placement::cuda AND NOT TARGET placement::thrust)
  foreach(include_dir IN LISTS CUDAToolkit_INCLUDE_DIRS)
    if(EXISTS ${include_dir}/thrust/version.h OR EXISTS ${include_dir}/cccl/thrust/version.h)
      set(placement_thrust_headers TRUE)
    endif()
  endforeach()
  if(placement_thrust_headers)
    add_library(placement::thrust INTERFACE IMPORTED GLOBAL)
    target_link_libraries(placement::thrust INTERFACE placement::cuda)
  endif()
  unset(placement_thrust_headers)
endif()
