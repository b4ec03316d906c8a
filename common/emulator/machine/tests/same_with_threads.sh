#!/bin/sh
# same_with_threads.sh CODE PROGRAM …: runs PROGRAM on one, two and seven host threads. Exit code (it
# must be CODE), output, messages and the JSON report of all launches must be the same, byte by byte.
wanted=$1
shift
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
for threads in 1 2 7; do
  at=$folder/$threads
  mkdir "$at" && cd "$at" || exit 2  # the same file name each time
  TCD_THREADS=$threads TCD_REPORT=report.json "$@" >stdout 2>stderr
  echo $? >code
  if [ "$(cat code)" -ne "$wanted" ]; then
    cat stdout stderr
    echo "same_with_threads.sh: exit code $(cat code) on $threads threads, wanted $wanted"
    exit 1
  fi
  if ! grep -q '"launches": [1-9]' report.json; then
    echo "same_with_threads.sh: the report holds no launch, so there is nothing to compare"
    exit 1
  fi
  diff -r "$folder/1" "$at" || exit 1
done
echo "the same on 1, 2 and 7 threads: $(wc -c <report.json) bytes of report, $(grep -c 'tcd: check:' stderr) checks"
