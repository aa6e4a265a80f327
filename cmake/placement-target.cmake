# Defines placement::placement: the headers of placement::headers, and the library's own code (placement/src/), compiled once
# with the consumer's compiler and flags. Files that link it only declare this code, so they compile in a fraction of the
# time. The code is built only if a target links it. Flags that change the ABI, like _GLIBCXX_DEBUG, must be those of the
# whole directory. A file that links placement::headers alone has all code in it; both kinds may be mixed in a program.
# Used by this project's build and by find_package(placement).
get_property(placement_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT TARGET placement::placement)
  add_library(placement::placement INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::placement INTERFACE placement::headers)
  if("CXX" IN_LIST placement_languages)
    # Three files, which compile in parallel.
    add_library(placement_definitions STATIC EXCLUDE_FROM_ALL
      ${CMAKE_CURRENT_LIST_DIR}/definitions/cpu.cpp
      ${CMAKE_CURRENT_LIST_DIR}/definitions/images.cpp
      ${CMAKE_CURRENT_LIST_DIR}/definitions/runtime.cpp)
    target_link_libraries(placement_definitions PUBLIC placement::headers)
    set_target_properties(placement_definitions PROPERTIES POSITION_INDEPENDENT_CODE ON) # a shared library may link it
    target_link_libraries(placement::placement INTERFACE placement_definitions)
    target_compile_definitions(placement::placement INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:PLACEMENT_COMPILED>")
  endif()
  # Its former name, for programs of many files.
  add_library(placement::compiled INTERFACE IMPORTED GLOBAL)
  target_link_libraries(placement::compiled INTERFACE placement::placement)
endif()
unset(placement_languages)
