# Defines placement::compiled: the code that placement/compiled.hpp leaves out, compiled once with the consumer's compiler
# and flags. It is built only if a target links it. Used by this project's build and by find_package(placement).
get_property(placement_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST placement_languages AND NOT TARGET placement::compiled)
  add_library(placement_compiled STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/compile_once.cpp)
  add_library(placement::compiled ALIAS placement_compiled)
  target_link_libraries(placement_compiled PUBLIC placement::placement)
  set_target_properties(placement_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON) # a shared library may link it
endif()
unset(placement_languages)
