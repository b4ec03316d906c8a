#!/bin/sh
# On a machine with a GPU and ncu: what the hardware counts for each pattern, then
# join_recording.py makes recorded/wavefronts.txt of it.
#   common/emulator/counters/tests/record_wavefronts.sh OUTPUT_FOLDER
set -eu
here=$(dirname "$0")
out=$1
nvcc -O2 -std=c++20 -gencode arch=compute_90,code=sm_90 -o "$out/record" "$here/record_wavefronts.cu"
sass=smsp__sass_l1tex
metrics=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,${sass}_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum
for op in ld st ldsm ldgsts; do
  metrics=$metrics,${sass}_data_pipe_lsu_wavefronts_mem_shared_op_$op.sum
done
python3 "$here/make_patterns.py" >"$out/patterns.txt"
grep ' cp' "$out/patterns.txt" >"$out/cp.txt"
grep -v ' cp' "$out/patterns.txt" >"$out/ld.txt"
for part in cp ld; do
  ncu --clock-control none --cache-control none --csv --page raw --print-units base \
      --metrics "$metrics" "$out/record" "$out/$part.txt" >"$out/measured_$part.csv"
done
rm "$out/record"
