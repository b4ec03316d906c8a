#!/bin/sh
# Writes requirements*.lock from requirements*.in: exact versions and hashes, no addresses, valid
# for every Python from 3.10 on. Needs uv (pip install uv) and the network; run after editing an .in.
set -eu
cd "$(dirname "$0")"
# requirements.in first: the versions in its lock bind the others (their lines "-c").
for source in requirements.in requirements-[!j]*.in requirements-jupyterlab.in; do
  alone=
  if [ "$source" = requirements-peer.in ]; then alone=--no-deps; fi  # headers are all that is used
  uv pip compile $alone --quiet --universal --python-version 3.10 --generate-hashes --no-annotate \
    --no-header --no-emit-index-url --no-emit-find-links --upgrade "$source" -o "${source%.in}.lock"
  sed -i "1i # Made by lock.sh from $source; do not edit." "${source%.in}.lock"
done
if grep -n '://' requirements*.lock; then
  echo "lock.sh: an address got into a lock file (above); remove it." >&2
  exit 1
fi
