# Defines placement::cublaslt: placement::cuda, and cuBLASLt of the consumer's toolkit for matrix products.
# Used by this project's build and by find_package(placement COMPONENTS cublaslt). Optional: its library is half a gigabyte.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-cuda.cmake)
if(TARGET placement::cuda AND TARGET CUDA::cublasLt AND NOT TARGET placement::cublaslt)
  add_library(placement::cublaslt INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::cublaslt INTERFACE placement::cuda CUDA::cublasLt)
endif()
