#!/bin/sh
# usage: starts_anywhere.sh PROGRAM: it needs no library of CUDA's, and runs without any environment.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if printf '%s\n' "$needed" | grep -Ei 'cuda|cublas|nvidia|nvrtc'; then
  echo "the program needs a library that a machine without CUDA lacks"
  exit 1
fi
env -i "$1"
