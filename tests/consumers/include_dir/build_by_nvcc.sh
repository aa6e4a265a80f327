#!/bin/sh
# usage: build_by_nvcc.sh NVCC HOST_COMPILER INCLUDE_DIR [OPTION...]: builds without a build system.
set -eu
nvcc=$1 host=$2 include=$3
shift 3
"$nvcc" -ccbin "$host" -std=c++20 "$@" -I"$include" "$(dirname "$0")/nvcc.cu" -o nvcc_consumer
./nvcc_consumer
