# cmake -D PROGRAM= -D SEEDS= -D CORPUS= -P run_fuzzer.cmake: runs a libFuzzer program for a while and writes findings to
# CORPUS.
cmake_minimum_required(VERSION 3.25)

set(seconds 5)
if(DEFINED ENV{PLACEMENT_FUZZ_SECONDS})
  set(seconds $ENV{PLACEMENT_FUZZ_SECONDS})
endif()
file(MAKE_DIRECTORY ${CORPUS})
set(folders ${CORPUS})
if(EXISTS ${SEEDS})
  list(APPEND folders ${SEEDS})
endif()
execute_process(
  COMMAND ${PROGRAM} -max_total_time=${seconds} -print_final_stats=1 -artifact_prefix=${CORPUS}/../ ${folders}
  COMMAND_ERROR_IS_FATAL ANY)
