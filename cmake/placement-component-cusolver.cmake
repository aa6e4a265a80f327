# Defines placement::cusolver: placement::cuda and placement::lapack, and cuSOLVER of the consumer's toolkit for linear
# algebra on GPUs. Used by this project's build and by find_package(placement COMPONENTS cusolver). Optional.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-cuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-lapack.cmake)
if(TARGET placement::cuda AND TARGET placement::lapack AND TARGET CUDA::cusolver AND NOT TARGET placement::cusolver)
  add_library(placement::cusolver INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::cusolver INTERFACE placement::cuda placement::lapack CUDA::cusolver)
endif()
