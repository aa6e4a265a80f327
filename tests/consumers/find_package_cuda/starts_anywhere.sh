#!/bin/sh
# usage: starts_anywhere.sh PROGRAM: checks that it needs no CUDA library, and runs in an empty environment.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if printf '%s\n' "$needed" | grep -Ei 'cuda|cublas|nvidia|nvrtc'; then
  echo "the program needs a library that a machine without CUDA lacks"
  exit 1
fi
env -i "$1"
