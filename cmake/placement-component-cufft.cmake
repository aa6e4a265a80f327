# Defines placement::cufft: placement::cuda and placement::fft, and cuFFT of the consumer's toolkit for transforms on GPUs.
# Used by this project's build and by find_package(placement COMPONENTS cufft). Optional.
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-cuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/placement-component-fft.cmake)
if(TARGET placement::cuda AND TARGET placement::fft AND TARGET CUDA::cufft AND NOT TARGET placement::cufft)
  add_library(placement::cufft INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::cufft INTERFACE placement::cuda placement::fft CUDA::cufft)
endif()
