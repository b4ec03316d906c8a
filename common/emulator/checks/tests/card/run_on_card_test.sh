#!/bin/sh
# run_on_card_test.sh: the runner with pretend tools. Four mistakes: one that nobody sees, one that
# racecheck reports and whose results are wrong, one that hangs, one that a tool crashes on.
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2

cat >program <<'END'
#!/bin/sh
case "$1 $2" in
  "--list ") printf 'quiet nothing\nracy a race\nstuck a loop\nodd breaks a tool\n' ;;
  "$BROKEN --right") echo "FAILED: 1 of 2 elements differ"; exit 1 ;;
  *" --right") echo "passed: all" ;;
  "racy ") echo "FAILED: 3 of 4 elements differ"; exit 1 ;;
  "stuck ") sleep 60 ;;
  *) echo "passed: all" ;;
esac
END
cat >sanitizer <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo "NVIDIA (R) Compute Sanitizer"; echo "Version 2025.3.1"; exit 0; }
tool=$2
shift 4
echo "========= COMPUTE-SANITIZER"
code=0
[ "$2" = stuck ] && [ "$tool" != memcheck ] || "$@" || code=$?
[ "$2" = odd ] && [ "$tool" = initcheck ] && exit 139
if [ "$2" = racy ] && [ "$tool" = racecheck ]; then
  echo "========= Error: Race reported between Write access at k:3 and Read access at k:4"
  echo "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"
  exit 66
fi
echo "========= ERROR SUMMARY: 0 errors"
exit $code
END
printf '#!/bin/sh\necho "NVIDIA X, 580.1, 9.0"\n' >smi
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.1"\n' >nvcc
chmod +x program sanitizer smi nvcc
run() {
  python3 "$here/run_on_card.py" --program program --json card.json --sanitizer ./sanitizer \
    --nvcc ./nvcc --smi ./smi --seconds 1 "$@"
}

fail() { echo "run_on_card_test.sh: $1"; exit 1; }
run >said 2>&1 || { cat said; fail "exit code $?, wanted 0"; }
cat card.json
for wanted in '"device": "NVIDIA X", "architecture": "sm_90", "driver": "580.1", "cuda": "13.0"' \
  '"sanitizer": "2025.3.1"' \
  '"quiet": {"right": {"verdict": "passed"[^}]*}, "plain": {"verdict": "passed"' \
  '"racy": .*"plain": {"verdict": "failed", "words": "3 of 4 elements differ"}' \
  '"memcheck": {"verdict": "silent", .*"racecheck": {"verdict": "reports", "words": "Error: Race' \
  '"stuck": .*"plain": {"verdict": "hung"}, "memcheck": {"verdict": "hung"}, "racecheck": {"verdict": "silent"' \
  '"odd": .*"initcheck": {"verdict": "crashed"'; do
  grep -q "$wanted" card.json || fail "card.json has no match for: $wanted"
done

# What an older outcome of the same card has is kept; of another card it is refused.
printf '%s' '{"provenance": {"device": "NVIDIA X", "driver": "580.1", "cuda": "13.0", "sanitizer": "2025.3.1"},
  "mistakes": {"stuck": {"right": {"verdict": "passed"}, "plain": "of old"}, "gone": {}}}' >old.json
run --keep old.json >said 2>&1 || { cat said; fail "--keep ended with $?"; }
grep -q '"plain": "of old"' card.json || fail "the old row is not kept"
grep -q gone card.json && fail "a mistake that is no more is kept"
grep -q "^stuck" said && fail "the old row was run"
sed -i 's/NVIDIA X/NVIDIA Y/' old.json
run --keep old.json >said 2>&1
[ $? -eq 2 ] && grep -q "of another device (NVIDIA Y, here NVIDIA X)" said || { cat said; fail "--keep"; }

rm card.json
BROKEN=racy run >said 2>&1
[ $? -eq 1 ] && [ ! -e card.json ] || fail "a program that fails without its mistake went through"
grep -q "1 programs without a mistake fail" said || fail "it did not say which"
run --sanitizer ./none >said 2>&1
[ $? -eq 2 ] && grep -q "cannot start ./none" said || { cat said; fail "a missing tool"; }
echo "run_on_card.py: passed"
