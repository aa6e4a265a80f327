# Defines opencv_core, for the project's own programs, if there is none: Debian's package of the core has no CMake package.
find_package(OpenCV QUIET COMPONENTS core NO_MODULE)
if(NOT TARGET opencv_core)
  find_path(PLACEMENT_OPENCV_INCLUDE_DIR opencv2/core/mat.hpp PATH_SUFFIXES opencv4 DOC "Where opencv2/core/mat.hpp is")
  find_library(PLACEMENT_OPENCV_LIBRARY opencv_core DOC "OpenCV's core")
  mark_as_advanced(PLACEMENT_OPENCV_INCLUDE_DIR PLACEMENT_OPENCV_LIBRARY)
  if(PLACEMENT_OPENCV_INCLUDE_DIR AND PLACEMENT_OPENCV_LIBRARY)
    add_library(opencv_core UNKNOWN IMPORTED GLOBAL)
    set_target_properties(opencv_core PROPERTIES
      IMPORTED_LOCATION ${PLACEMENT_OPENCV_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${PLACEMENT_OPENCV_INCLUDE_DIR})
  endif()
endif()
