# The first lines of a test or an example list the configurations in which it runs:
#
#   // gpus: 0 1 2                        once with each of these numbers of simulated GPUs
#   // env: NAME=VALUE OTHER="a b"        under this environment; with several such lines, once under each.
#                                         A line with nothing after the colon means the plain environment.
#   // env: [tag] NAME=VALUE              tests only: for the TEST_CASEs with this tag; the others run in the plain one

# Sets ${gpus_out} to the numbers on the `// gpus:` line of the file, or to `default_gpus` without one. Sets ${envs_out} to
# the list of texts after `// env:`, with "plain" for an empty text. The list has at least one element.
function(placement_run_lines file default_gpus gpus_out envs_out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines LIMIT_INPUT 4096 REGEX "^// *(gpus|env):")
  set(gpus ${default_gpus})
  set(envs)
  foreach(line IN LISTS lines)
    if(line MATCHES "^// *gpus: *(.*)$")
      separate_arguments(gpus UNIX_COMMAND "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^// *env: *(.+)$")
      list(APPEND envs "${CMAKE_MATCH_1}")
    else()
      list(APPEND envs plain)
    endif()
  endforeach()
  if(NOT envs)
    set(envs plain)
  endif()
  set(${gpus_out} ${gpus} PARENT_SCOPE)
  set(${envs_out} "${envs}" PARENT_SCOPE)
endfunction()
