# Defines placement::compiled: placement::placement for programs of many files. Their files only declare the functions of
# placement/src/, which are compiled once, with the consumer's compiler and flags. It is built only if a target links it.
# Used by this project's build and by find_package(placement).
get_property(placement_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST placement_languages AND NOT TARGET placement::compiled)
  add_library(placement_compiled STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/definitions.cpp)
  add_library(placement::compiled ALIAS placement_compiled)
  target_link_libraries(placement_compiled PUBLIC placement::placement)
  target_compile_definitions(placement_compiled INTERFACE PLACEMENT_COMPILED)
  set_target_properties(placement_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON) # a shared library may link it
endif()
unset(placement_languages)
