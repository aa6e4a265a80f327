# Defines placement::zlib: placement::placement, and zlib for interop/npz_zlib.hpp.
# Used by this project's build and by find_package(placement COMPONENTS zlib). Optional: without it compressed archives of NumPy
# are an error when they are loaded.
if(NOT TARGET placement::zlib)
  find_package(ZLIB QUIET)
  if(TARGET ZLIB::ZLIB)
    add_library(placement::zlib INTERFACE IMPORTED GLOBAL)
    target_link_libraries(placement::zlib INTERFACE placement::placement ZLIB::ZLIB)
  endif()
endif()
