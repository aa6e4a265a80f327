# cmake -D PROGRAM= -D PYTHON= -D SCRIPT= -D FOLDER= -P run.cmake: runs the script with a Python that has NumPy.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PYTHON} ${SCRIPT} ${PROGRAM} ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
