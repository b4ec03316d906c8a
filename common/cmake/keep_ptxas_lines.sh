#!/bin/sh
# Compiler launcher: runs nvcc, keeps ptxas's resource lines (registers, spills, shared memory)
# beside the object as NAME.o.ptxas, and passes every other message on. The lines stand nowhere in
# the executable: spill bytes are known to ptxas alone.
object=
previous=
for argument in "$@"; do
  if [ "$previous" = -o ]; then object=$argument; fi
  previous=$argument
done
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
"$@" 2>"$log"
status=$?
info='^ptxas info|^    [0-9]+ bytes stack frame|^Function properties for|^\s*$'
case $object in
  *.o) grep -E "$info" "$log" | grep -v 'Compile time' | c++filt >"$object.ptxas" ;;
esac
grep -Ev "$info" "$log" >&2
exit $status
