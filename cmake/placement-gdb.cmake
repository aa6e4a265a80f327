# placement_add_gdb_printers(target): gdb loads the printers of placement with this program, where auto-loading from its folder
# is allowed (docs/debugging.md). Writes PROGRAM-gdb.py beside it. Used by this project's build and by find_package(placement).
function(placement_add_gdb_printers target)
  set(installed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../placement/gdb/placement_gdb.py)
  set(in_tree ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools/debuggers/placement_gdb.py)
  foreach(candidate IN ITEMS ${installed} ${in_tree})
    if(EXISTS ${candidate})
      cmake_path(NORMAL_PATH candidate)
      file(GENERATE OUTPUT $<TARGET_FILE:${target}>-gdb.py CONTENT "import gdb\ngdb.execute('source ${candidate}')\n")
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "placement: there is no placement_gdb.py in ${installed}. Install placement again.")
endfunction()
