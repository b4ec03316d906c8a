#!/bin/sh
# expect.sh CODE PATTERN COMMAND …: passes when COMMAND ends with exit code CODE and its output
# holds PATTERN (extended regular expression). For tests of what a program tells its user.
wanted=$1
pattern=$2
shift 2
output=$("$@" 2>&1)
code=$?
printf '%s\n' "$output"
if [ "$code" -ne "$wanted" ]; then
  echo "expect.sh: exit code $code, wanted $wanted"
  exit 1
fi
if ! printf '%s\n' "$output" | grep -Eq -- "$pattern"; then
  echo "expect.sh: the output has no match for: $pattern"
  exit 1
fi
