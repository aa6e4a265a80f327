# cmake -D PROGRAM= -D PYTHON= -D SCRIPT= -D FOLDER= -P run.cmake: runs the script with a Python that has NumPy.
cmake_minimum_required(VERSION 3.25)
# save_npy waits until the disk has the file. Thousands of files take minutes, and seconds in memory.
if(IS_DIRECTORY /dev/shm)
  string(SHA1 name "${FOLDER}")
  set(FOLDER /dev/shm/placement_numpy_${name})
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PYTHON} ${SCRIPT} ${PROGRAM} ${FOLDER} RESULT_VARIABLE failed)
file(REMOVE_RECURSE ${FOLDER})
if(failed)
  message(FATAL_ERROR "${SCRIPT} ended with ${failed}")
endif()
