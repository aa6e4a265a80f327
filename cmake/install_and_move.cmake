# cmake -D BUILD=<build dir> -D PREFIX=<dir> -P install_and_move.cmake: a fresh installed tree that was moved after install.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.staged)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.staged COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.staged ${PREFIX})
