#!/bin/sh
# names_line.sh KERNEL TEXT COMMAND …: runs COMMAND and adds whether its report named the line of
# KERNEL that holds TEXT. The line is looked up here, for the kernel is changed when it is built.
kernel=$1 text=$2
shift 2
line=$(grep -nF "$text" "$kernel" | head -n 1 | cut -d: -f1)
output=$("$@" 2>&1)
code=$?
printf '%s\n' "$output"
if printf '%s\n' "$output" | grep -Eq "source +[^ ]*kernel.cu:$line .inlined from"; then
  echo "the line that holds it was named: $line"
else
  echo "line $line of $kernel was not named"
fi
exit $code
