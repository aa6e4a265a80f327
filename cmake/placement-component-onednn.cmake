# Defines placement::onednn: placement::placement, and oneDNN 2 or 3 for convolutions on the CPU.
# Used by this project's build and by find_package(placement COMPONENTS onednn). Optional: without it the library's own
# kernels compute convolutions. Set CMAKE_PREFIX_PATH for a oneDNN in another folder. Its dnnl-config.cmake is not used:
# Debian's requires the headers of OpenCL, on which its package does not depend.
if(NOT TARGET placement::onednn)
  find_path(PLACEMENT_ONEDNN_INCLUDE_DIR dnnl.hpp DOC "Where dnnl.hpp is")
  find_library(PLACEMENT_ONEDNN_LIBRARY dnnl DOC "oneDNN")
  mark_as_advanced(PLACEMENT_ONEDNN_INCLUDE_DIR PLACEMENT_ONEDNN_LIBRARY)
  if(PLACEMENT_ONEDNN_INCLUDE_DIR AND PLACEMENT_ONEDNN_LIBRARY)
    add_library(placement::onednn INTERFACE IMPORTED GLOBAL)
    target_include_directories(placement::onednn SYSTEM INTERFACE ${PLACEMENT_ONEDNN_INCLUDE_DIR})
    target_link_libraries(placement::onednn INTERFACE placement::placement ${PLACEMENT_ONEDNN_LIBRARY} ${CMAKE_DL_LIBS})
  endif()
endif()
