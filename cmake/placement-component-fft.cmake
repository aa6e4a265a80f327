# Defines placement::fft: placement::placement, and FFTW 3 of double and float for placement/fft.hpp.
# Used by this project's build and by find_package(placement COMPONENTS fft). Optional: no other header needs it.
# Set CMAKE_PREFIX_PATH for an FFTW in another folder.
if(NOT TARGET placement::fft)
  find_path(PLACEMENT_FFTW_INCLUDE_DIR fftw3.h DOC "Where fftw3.h is")
  find_library(PLACEMENT_FFTW_LIBRARY fftw3 DOC "FFTW of double")
  find_library(PLACEMENT_FFTWF_LIBRARY fftw3f DOC "FFTW of float")
  mark_as_advanced(PLACEMENT_FFTW_INCLUDE_DIR PLACEMENT_FFTW_LIBRARY PLACEMENT_FFTWF_LIBRARY)
  if(PLACEMENT_FFTW_INCLUDE_DIR AND PLACEMENT_FFTW_LIBRARY AND PLACEMENT_FFTWF_LIBRARY)
    add_library(placement::fft INTERFACE IMPORTED GLOBAL)
    target_include_directories(placement::fft SYSTEM INTERFACE ${PLACEMENT_FFTW_INCLUDE_DIR})
    target_link_libraries(placement::fft INTERFACE
      placement::placement ${PLACEMENT_FFTW_LIBRARY} ${PLACEMENT_FFTWF_LIBRARY})
  elseif(placement_builds_programs AND PROJECT_IS_TOP_LEVEL)
    message(STATUS "placement: no FFTW of double and float was found, so that its component and tests are left out. Run ./dev setup components.")
  endif()
endif()
