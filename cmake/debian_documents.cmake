# Run by cpack after it has installed the files: writes the license in Debian's form, and adds the changes. Debian has the text
# of the Apache License on every machine, so the form has only the exception in full.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(REMOVE_RECURSE ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/bin) # programs are not the same on all architectures
set(documents ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc)
set(package_documents ${documents}/${CPACK_PACKAGE_NAME})
file(READ ${documents}/placement/LICENSE license)
file(REMOVE_RECURSE ${documents}/placement)

string(FIND "${license}" "As an exception, if" start)
if(start EQUAL -1)
  message(FATAL_ERROR "LICENSE has no paragraph 'As an exception, if', where the exception begins")
endif()
string(SUBSTRING "${license}" ${start} -1 exception)
string(STRIP "${exception}" exception)
string(REGEX REPLACE "\n\n+" "\n.\n" exception "${exception}")
string(REPLACE "\n" "\n " exception "${exception}")
file(WRITE ${package_documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: placement
Source: ${CPACK_PLACEMENT_REPOSITORY}

Files: *
Copyright: The placement authors
License: Apache-2.0 with LLVM-exception
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0. These are the exceptions to it:
 .
 ${exception}
")

execute_process(
  COMMAND gzip -9 -n -c ${CPACK_PLACEMENT_SOURCE_DIR}/CHANGELOG.md
  OUTPUT_FILE ${package_documents}/CHANGELOG.md.gz
  COMMAND_ERROR_IS_FATAL ANY)
