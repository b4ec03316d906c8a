#!/bin/sh
# example.sh CMAKE NVCC DAY FOLDER: the example as its page tells another project to build and test it,
# in a folder of its own; then with its barrier left out, which must fail.
set -eu
cmake=$1 nvcc=$2 day=$3 folder=$4
here=$(dirname "$0")/../example
rm -rf "$folder"
mkdir -p "$folder"
cp "$here/CMakeLists.txt" "$here/sum.cu" "$folder"
library=$("$day" emulate --where)

"$cmake" -S "$folder" -B "$folder/build" -DCMAKE_CUDA_COMPILER="$nvcc" "-DCMAKE_TEST_LAUNCHER=$day;emulate;--"
"$cmake" --build "$folder/build"
ctest=$(dirname "$cmake")/ctest
LD_LIBRARY_PATH=$library TCD_CHECKS=stop "$ctest" --test-dir "$folder/build" --output-on-failure --no-tests=error

sed -i '/__syncthreads/d' "$folder/sum.cu"
"$cmake" --build "$folder/build"
if LD_LIBRARY_PATH=$library TCD_CHECKS=stop "$folder/build/sum"; then
  echo "example.sh: no barrier, and the program passed under TCD_CHECKS=stop"
  exit 1
fi
if "$ctest" --test-dir "$folder/build" --output-on-failure; then
  echo "example.sh: no barrier, and the test passed under the launcher"
  exit 1
fi
echo "example.sh: passed with its barrier, failed without"
