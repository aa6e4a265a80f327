# cmake -D BUILD=<build dir> -D PREFIX=<dir> -P install_and_move.cmake: installs to a new tree and then moves it.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.staged)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.staged COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.staged ${PREFIX})
