#!/bin/sh
# change_kernel.sh SCRIPT.sed FROM TO: FROM's kernel.cu and variants.cu, changed, into the folder TO.
# A script that changes nothing is an error: the control would test the kernel as it is.
set -eu
script=$1 from=$2 to=$3
applied=no
for file in kernel.cu variants.cu; do
  [ -e "$from/$file" ] || continue
  sed -E -f "$script" "$from/$file" > "$to/$file"
  cmp -s "$from/$file" "$to/$file" || applied=yes
done
if [ $applied = no ]; then
  echo "nothing in $from/kernel.cu matches the change that this control of the tests makes:" >&2
  cat "$script" >&2
  exit 1
fi
