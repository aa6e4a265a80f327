#!/usr/bin/env bash
# usage: packaging/release.sh [TAG]: writes the files of a release into build/release/files, and NOTES.md beside them.
# TAG is v<version> by default. The source archive has what git has in HEAD.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

version=$(tools/recipes.py --print version)
repository=$(tools/recipes.py --print repository)
tag=${1:-v$version}
[[ $tag == "v$version" ]] || die "the tag is $tag, but include/placement/version.hpp has $version"
[[ $repository != */OWNER/* ]] || die "PLACEMENT_REPOSITORY in CMakeLists.txt is $repository. Set it, and run tools/recipes.py --update."
tools/recipes.py
grep -Eq "^## $version - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
  die "CHANGELOG.md has no heading '## $version - <year>-<month>-<day>'"

rm -rf build/release
mkdir -p build/release/files
name=placement-$version
git archive --format=tar --prefix="$name/" HEAD | gzip -9 -n >"build/release/files/$name.tar.gz"
cmake -S . -B build/release/cmake -D CMAKE_BUILD_TYPE=Release >/dev/null
cpack -G DEB --config build/release/cmake/CPackConfig.cmake -B build/release/deb >/dev/null
cp build/release/deb/*.deb build/release/files/
tools/amalgamate.py -o build/release/files/placement.hpp
(cd build/release/files && sha512sum -- * >../SHA512SUMS && mv ../SHA512SUMS .)
awk -v heading="## $version " 'index($0, heading) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md >build/release/NOTES.md
ls -l build/release/files
