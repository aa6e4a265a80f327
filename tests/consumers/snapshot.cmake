# take_snapshot() records the state of the parent project. check_snapshot() fails if adding placement has changed it.

function(placement_parent_state out)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(state "languages=${languages}")
  foreach(name IN ITEMS
      BUILD_TESTING BUILD_SHARED_LIBS CMAKE_BUILD_TYPE CMAKE_CXX_STANDARD CMAKE_CXX_EXTENSIONS CMAKE_CXX_FLAGS
      CMAKE_MODULE_PATH CMAKE_PREFIX_PATH CMAKE_RUNTIME_OUTPUT_DIRECTORY CMAKE_EXPORT_COMPILE_COMMANDS
      CMAKE_COMPILE_WARNING_AS_ERROR CMAKE_INSTALL_PREFIX)
    string(APPEND state "\n${name}=${${name}}")
  endforeach()
  foreach(name IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS BUILDSYSTEM_TARGETS TESTS)
    get_property(value DIRECTORY PROPERTY ${name})
    string(APPEND state "\n${name}=${value}")
  endforeach()
  set(${out} "${state}" PARENT_SCOPE)
endfunction()

macro(take_snapshot)
  placement_parent_state(state_before)
endmacro()

macro(check_snapshot)
  placement_parent_state(state_after)
  if(NOT state_after STREQUAL state_before)
    message(FATAL_ERROR "adding placement changed the parent project\nbefore:\n${state_before}\nafter:\n${state_after}")
  endif()
  get_property(targets DIRECTORY ${PLACEMENT_SOURCE_DIR} PROPERTY BUILDSYSTEM_TARGETS)
  list(REMOVE_ITEM targets placement placement_definitions placement_definitions_cuda)
  if(targets)
    message(FATAL_ERROR "placement brought other targets than itself and its definitions: ${targets}")
  endif()
endmacro()
