#!/usr/bin/env bash
# usage: packaging/push_single_header.sh TAG [REMOTE]: pushes build/release/files/placement.hpp to the branch single-header, as
# TAG/placement.hpp. The headers of other versions on that branch stay as they are. REMOTE is origin by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tag=$1 remote=${2:-origin}
header=$PWD/build/release/files/placement.hpp folder=build/release/single-header
[[ -f $header ]] || { echo "error: there is no $header. Run packaging/release.sh first." >&2; exit 1; }

git worktree prune
rm -rf "$folder"
git worktree add --quiet --detach "$folder"
trap 'git worktree remove --force "$PWD/$folder"; git branch -qD single-header-of-release 2>/dev/null || true' EXIT
(
  cd "$folder"
  if git ls-remote --exit-code --heads "$remote" single-header >/dev/null; then
    git fetch --quiet --depth 1 "$remote" single-header
    git checkout --quiet --detach FETCH_HEAD
  else
    git checkout --quiet --orphan single-header-of-release
    git rm -rfq .
  fi
  mkdir -p "$tag"
  cp "$header" "$tag/placement.hpp"
  git add "$tag/placement.hpp"
  git diff --cached --quiet || git commit --quiet -m "Add the single header of $tag"
  git push --quiet "$remote" HEAD:refs/heads/single-header
)
