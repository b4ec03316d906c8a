#!/bin/sh
# pack.sh FILE.zip EXERCISE…: the autograder to upload to Gradescope. It holds the course as it is
# committed, and which exercises are graded.
set -eu
if [ $# -lt 2 ]; then
  echo "usage: pack.sh FILE.zip EXERCISE…, e.g. pack.sh day05.zip 05a 05b" >&2
  exit 2
fi
zip=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../../.." && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for exercise; do
  if ! ls -d "$root/exercises/$exercise-"* >/dev/null 2>&1; then
    echo "pack.sh: there is no exercise $exercise in $root/exercises" >&2
    exit 2
  fi
  echo "$exercise" >>"$folder/exercises.txt"
done
cp "$here/setup.sh" "$here/run_autograder" "$folder"
git -C "$root" archive --format=tar --output="$folder/course.tar" HEAD
git -C "$root" describe --always >"$folder/commit.txt"
rm -f "$zip"
python3 -m zipfile -c "$zip" "$folder"/*
echo "$zip: upload it as the autograder."
