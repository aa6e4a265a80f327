# Defines placement::nvtx: placement::placement, and the NVTX 3 headers of a CUDA toolkit for placement/interop/nvtx.hpp.
# Used by this project's build and by find_package(placement COMPONENTS nvtx). Optional: no other header needs it. The headers
# contain all of NVTX, and load a profiler where one is attached.
if(NOT TARGET placement::nvtx)
  find_path(PLACEMENT_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_HOME
    PATHS /usr/local/cuda PATH_SUFFIXES include DOC "Where nvtx3/nvToolsExt.h is")
  mark_as_advanced(PLACEMENT_NVTX_INCLUDE_DIR)
  if(PLACEMENT_NVTX_INCLUDE_DIR)
    add_library(placement::nvtx INTERFACE IMPORTED GLOBAL)
    target_include_directories(placement::nvtx SYSTEM INTERFACE ${PLACEMENT_NVTX_INCLUDE_DIR})
    target_link_libraries(placement::nvtx INTERFACE placement::placement ${CMAKE_DL_LIBS})
  elseif(placement_builds_programs AND PROJECT_IS_TOP_LEVEL)
    message(STATUS "placement: no NVTX 3 was found, so that its component and tests are left out. It comes with the CUDA toolkit.")
  endif()
endif()
