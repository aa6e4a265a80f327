#!/bin/sh
# usage: build.sh COMPILER OTHER_COMPILER INCLUDE_DIR LIBRARY: links objects of two compilers with the library, which the first one compiled.
set -eu
source=$(dirname "$0") include=$3
objects_by() { "$1" -std=c++20 -DPLACEMENT_COMPILED -I"$include" "-DRESULTS=$2" -c "$source/numbers.cpp" -o "$2.o"; }
objects_by "$1" by_one_compiler
objects_by "$2" by_another
"$1" -std=c++20 -I"$include" "$source/main.cpp" by_one_compiler.o by_another.o "$4" -ldl -lpthread -o consumer
./consumer
