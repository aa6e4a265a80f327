#!/bin/sh
# usage: build.sh COMPILER INCLUDE_DIR: no build system at all, one line.
set -eu
consumers=$(dirname "$0")/..
"$1" -std=c++20 -I"$2" "$consumers/main.cpp" "$consumers/other.cpp" -o consumer
./consumer
