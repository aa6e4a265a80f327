# The curves and the trace that PROGRAM writes. The trace has a lane for each device.
set(ENV{PLACEMENT_SIMULATED_GPUS} 2)
unset(ENV{PLACEMENT_MNIST_DIR})
set(plot ${FOLDER}/mnist_conv.svg)
set(trace ${FOLDER}/mnist_conv.json)
execute_process(COMMAND ${PROGRAM} --net B --steps 10 --batch 20 --towers 2 --plot ${plot} --trace ${trace}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

file(READ ${plot} svg)
# Two lines of two points each: steps 1 and 10.
if(NOT svg MATCHES "^<svg [^>]*>\n<rect [^>]*>\n(<polyline [^>]*points=\"10.0+,[0-9.]+ 100.0+,[0-9.]+ \"/>\n)+</svg>\n$")
  message(FATAL_ERROR "unexpected curves:\n${svg}")
endif()

file(READ ${trace} events)
string(JSON count LENGTH "${events}" traceEvents) # an error unless the file is JSON
foreach(device IN ITEMS /CPU:0 /GPU:0 /GPU:1)
  if(NOT events MATCHES "\"thread_name\", \"ph\": \"M\", [^\n]*\"name\": \"${device}\"")
    message(FATAL_ERROR "the trace of ${count} events has no lane for ${device}")
  endif()
endforeach()
file(REMOVE ${plot} ${trace})
