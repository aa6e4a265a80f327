# placement_discover_tests(target prefix source default_gpus): one CTest entry for each TEST_CASE of a Catch2 program and
# each configuration on the run lines of `source` (see run_lines.cmake). So every TEST_CASE is a process of its own.
#
# Catch2's catch_discover_tests is not used: it starts the program once per configuration and cannot set several environment
# variables. It also loses test names with an unpaired bracket, which names of malformed devices have.
#
# The second half of this file is the script that runs after each build of the program.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(placement_discover_script ${CMAKE_CURRENT_LIST_FILE})

  function(placement_discover_tests target prefix source default_gpus)
    if(EXISTS ${source})
      placement_run_lines(${source} "${default_gpus}" gpus envs)
    else()
      set(gpus ${default_gpus})
      set(envs plain)
    endif()
    # If all environments are tagged, the other TEST_CASEs run in the plain environment.
    set(tags ${envs})
    list(FILTER tags INCLUDE REGEX "^\\[")
    if(tags STREQUAL envs)
      list(TRANSFORM tags REPLACE "^(\\[[^]]+\\]).*$" "~\\1")
      list(REMOVE_DUPLICATES tags)
      list(JOIN tags "" tags)
      list(APPEND envs plain)
    else()
      set(tags)
    endif()
    list(LENGTH gpus gpus_count)
    list(LENGTH envs envs_count)

    set(variants)
    foreach(count IN LISTS gpus)
      foreach(env IN LISTS envs)
        set(suffix)
        if(gpus_count GREATER 1)
          list(APPEND suffix "${count} gpus")
        endif()
        if(envs_count GREATER 1)
          list(APPEND suffix "${env}")
        endif()
        list(JOIN suffix ", " suffix)
        if(suffix)
          set(suffix " (${suffix})")
        endif()

        set(tag)
        if(env MATCHES "^(\\[[^]]+\\]) *(.*)$")
          set(tag ${CMAKE_MATCH_1})
          set(env "${CMAKE_MATCH_2}")
        endif()
        if(env STREQUAL "plain")
          set(tag ${tags})
          set(env)
        endif()
        separate_arguments(environment UNIX_COMMAND "${env}")
        list(PREPEND environment PLACEMENT_SIMULATED_GPUS=${count})
        string(APPEND variants "variant([==[${suffix}]==] [==[${tag}]==] [==[${environment}]==])\n")
      endforeach()
    endforeach()

    set(base ${CMAKE_CURRENT_BINARY_DIR}/${target})
    file(CONFIGURE OUTPUT ${base}_variants.cmake CONTENT "${variants}" @ONLY)
    add_custom_command(TARGET ${target} POST_BUILD
      BYPRODUCTS ${base}_tests.cmake
      COMMAND ${CMAKE_COMMAND}
        -D PROGRAM=$<TARGET_FILE:${target}>
        -D PREFIX=${prefix}
        -D LABEL=$<TARGET_PROPERTY:${target},placement_test_label>
        -D VARIANTS=${base}_variants.cmake
        -D OUTPUT=${base}_tests.cmake
        -P ${placement_discover_script}
      VERBATIM)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${base}_variants.cmake ${placement_discover_script})
    file(WRITE ${base}_include.cmake
      "include([==[${base}_tests.cmake]==] OPTIONAL RESULT_VARIABLE found)\n"
      "if(NOT found)\n  add_test([==[${prefix}NOT_BUILT]==] [==[${target} was not built]==])\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${base}_include.cmake)
  endfunction()

  return()
endif()

# ---- the script

# Appends the entries of one configuration to `entries`. `environment` is a list.
function(variant suffix tag environment)
  # The names are the same for each number of GPUs. An invalid setting in the outer environment must not stop the build.
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=PLACEMENT_SIMULATED_GPUS ${PROGRAM} ${tag} --list-tests --verbosity quiet
    OUTPUT_VARIABLE names
    COMMAND_ERROR_IS_FATAL ANY)

  # Not a foreach, because a CMake list joins elements between unpaired brackets.
  while(names MATCHES "^([^\n]*)\n(.*)$")
    set(name "${CMAKE_MATCH_1}")
    set(names "${CMAKE_MATCH_2}")
    if(name STREQUAL "")
      continue()
    endif()
    # Escapes the characters that Catch2 would parse as a filter.
    string(REGEX REPLACE "([],\\[*\\\\])" "\\\\\\1" pattern "${name}")
    string(APPEND entries
      "add_test([==[${PREFIX}${name}${suffix}]==] [==[${PROGRAM}]==] [==[${pattern}]==])\n"
      "set_tests_properties([==[${PREFIX}${name}${suffix}]==] PROPERTIES\n"
      "  LABELS \"${LABEL}\" SKIP_RETURN_CODE 4 ENVIRONMENT [==[${environment}]==])\n")
  endwhile()
  set(entries "${entries}" PARENT_SCOPE)
endfunction()

set(entries)
include(${VARIANTS})
file(WRITE ${OUTPUT} "${entries}")
