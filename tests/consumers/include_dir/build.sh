#!/bin/sh
# usage: build.sh COMPILER INCLUDE_DIR: builds without a build system, in one line.
set -eu
consumers=$(dirname "$0")/..
"$1" -std=c++20 -I"$2" "$consumers/main.cpp" "$consumers/other.cpp" -o consumer
./consumer
