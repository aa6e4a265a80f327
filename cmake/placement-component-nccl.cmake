# Defines placement::nccl: placement::cuda, and NCCL for all-reduces between GPUs.
# Used by this project's build and by find_package(placement COMPONENTS nccl). Optional: without it copies and kernels of the
# library reduce. NCCL is looked for in the toolkit and on the system; NCCL_ROOT names another folder.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-cuda.cmake)
if(TARGET placement::cuda AND NOT TARGET placement::nccl)
  find_path(PLACEMENT_NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include
    DOC "Where nccl.h is")
  find_library(PLACEMENT_NCCL_LIBRARY nccl HINTS ${NCCL_ROOT} ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_LIBRARY_DIR}
    PATH_SUFFIXES lib lib64 DOC "NCCL's library")
  mark_as_advanced(PLACEMENT_NCCL_INCLUDE_DIR PLACEMENT_NCCL_LIBRARY)
  if(PLACEMENT_NCCL_INCLUDE_DIR AND PLACEMENT_NCCL_LIBRARY)
    add_library(placement::nccl INTERFACE IMPORTED GLOBAL)
    target_include_directories(placement::nccl SYSTEM INTERFACE ${PLACEMENT_NCCL_INCLUDE_DIR})
    target_link_libraries(placement::nccl INTERFACE placement::cuda ${PLACEMENT_NCCL_LIBRARY})
  elseif(PROJECT_NAME STREQUAL placement AND PROJECT_IS_TOP_LEVEL)
    message(STATUS "placement: no NCCL was found, so that its component and tests are left out. Run ./dev setup nccl.")
  endif()
endif()
