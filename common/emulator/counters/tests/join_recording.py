"""Joins patterns with the profiler's answers: lines of patterns.txt, then what the hardware counted
for one instruction: wavefronts, bank conflicts, global sectors.

    join_recording.py FOLDER >recorded/wavefronts.txt    (FOLDER is record_wavefronts.sh's)
"""

import csv
import pathlib
import sys

REPEATS = 16  # record_wavefronts.cu
SASS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
COLUMNS = {  # operation prefix: metrics of wavefronts, conflicts, sectors
    "ldmatrix": (SASS.format("ldsm"),
                 "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum", None),
    "ld": (SASS.format("ld"), None, None),
    "st": (SASS.format("st"), None, None),
    "cp": (SASS.format("ldgsts"), None, None),
    "gld": (None, None, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    "gst": (None, None, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for part in ("cp", "ld"):
        patterns = (folder / f"{part}.txt").read_text().splitlines()
        answers = (folder / f"measured_{part}.csv").read_text().splitlines()
        start = next(n for n, line in enumerate(answers) if line.startswith('"ID"'))
        rows = [row for row in csv.DictReader(answers[start:]) if row["ID"]]
        assert len(rows) == len(patterns)
        for pattern, row in zip(patterns, rows):
            operation = pattern.split()[1]
            if operation == "ld1":
                continue  # the compiler removed the loads: nothing was measured
            prefix = next(p for p in COLUMNS if operation.startswith(p))
            values = []
            for metric in COLUMNS[prefix]:
                total = float(row[metric].replace(",", "")) if metric else -REPEATS
                assert total % REPEATS == 0, (pattern, metric, total)
                values.append(int(total) // REPEATS)
            print(pattern, *values)


main()
