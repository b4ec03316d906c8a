"""Prints address patterns: those of a GEMM, those that decide between rules, and random ones from a
fixed seed. One a line: name, operation, lane mask (hex), 32 shared offsets, 32 global offsets."""

import random

random.seed(20261130)
ALL = 0xFFFFFFFF
LANES = range(32)


def line(name, operation, shared, global_=None, mask=ALL):
    global_ = global_ or [0] * 32
    assert all(0 <= s <= 32768 - 16 for s in shared), name
    assert all(0 <= g <= (1 << 20) - 16 for g in global_), name
    print(name, operation, f"{mask:x}", *shared, *global_)


def layouts(row, chunk):
    """Byte offset of a 16-byte chunk in a tile of 64-byte rows, by layout."""
    return {
        "row64": row * 64 + chunk * 16,
        "pad80": row * 80 + chunk * 16,
        "xor_row": row * 64 + (chunk ^ (row & 3)) * 16,
        "xor_pair": row * 64 + (chunk ^ (row >> 1 & 3)) * 16,
    }


LAYOUTS = list(layouts(0, 0))

# --- ldmatrix: 8 rows a matrix, in the four layouts, chunk 0 to 3 ---------------------------------
for layout in LAYOUTS:
    for matrices in (1, 2, 4):
        for chunk in (0, 2):
            rows = [layouts(lane % 16, chunk + lane // 16)[layout] for lane in LANES]
            line(f"ldmatrix_{layout}_{chunk}", f"ldmatrix{matrices}", rows)
line("ldmatrix_same_row", "ldmatrix4", [0] * 32)
line("ldmatrix_same_in_matrix", "ldmatrix4", [16 * (lane // 8) for lane in LANES])
line("ldmatrix_same_over_matrices", "ldmatrix4", [16 * (lane % 8) for lane in LANES])
line("ldmatrix_128", "ldmatrix4", [128 * lane for lane in LANES])
for n in range(16):
    line(f"ldmatrix_random{n}", random.choice(["ldmatrix1", "ldmatrix2", "ldmatrix4", "ldmatrix4"]),
         [16 * random.randrange(64) for _ in LANES])

# --- Shared loads and stores ----------------------------------------------------------------------
for kind in ("ld", "st"):
    for size in (1, 2, 4, 8, 16):
        op = f"{kind}{size}"
        line("contiguous", op, [size * lane for lane in LANES])
        line("broadcast", op, [64] * 32)
        for stride in (2, 3, 32, 33, 40):
            if size * stride * 31 <= 32768 - 16:
                line(f"stride{stride}", op, [size * stride * lane for lane in LANES])
        line("pairs_same", op, [size * (lane // 2) for lane in LANES])
        line("even_odd_same", op, [size * (lane % 2) for lane in LANES])
        line("quads_same", op, [size * (lane // 4) for lane in LANES])
        line("halves_same", op, [size * (lane % 16) for lane in LANES])
        line("quarters_same", op, [size * (lane % 8) for lane in LANES])
        line("low_half", op, [size * lane for lane in LANES], mask=0xFFFF)
        line("first_lane", op, [size * lane for lane in LANES], mask=1)
        line("every_other", op, [size * lane for lane in LANES], mask=0x55555555)
        line("every_fourth", op, [size * lane for lane in LANES], mask=0x11111111)
        line("one_a_quarter", op, [size * lane for lane in LANES], mask=0x01010101)
        line("one_a_quarter_apart", op, [1024 * (lane // 8) for lane in LANES], mask=0x01010101)
        for n in range(6):
            line(f"random{n}", op, [size * random.randrange(4096 // size) for _ in LANES],
                 mask=random.choice([ALL, ALL, random.getrandbits(32) | 1]))
        for n in range(4):  # few words: many lanes share
            line(f"crowded{n}", op, [size * random.randrange(512 // size) for _ in LANES])

# --- cp.async -------------------------------------------------------------------------------------
K = 8192  # bytes of a row of the matrix
for layout in LAYOUTS:
    for start in (0, 64, 32, 96):
        line(f"gemm_{layout}_k{start}", "cpcg16",
             [layouts(lane // 4, lane % 4)[layout] for lane in LANES],
             [lane // 4 * K + start + lane % 4 * 16 for lane in LANES])
    line(f"gemm_{layout}_k0", "cp16",
         [layouts(lane // 4, lane % 4)[layout] for lane in LANES],
         [lane // 4 * K + lane % 4 * 16 for lane in LANES])
    line(f"gemm_{layout}_dense", "cpcg16",  # the same destinations, sources without gaps
         [layouts(lane // 4, lane % 4)[layout] for lane in LANES], [16 * lane for lane in LANES])
for name, turn in (("row128", 0), ("xor128", 7)):  # rows of 128 bytes, 8 lanes each
    for start in (0, 64):
        line(f"gemm_{name}_k{start}", "cpcg16",
             [lane // 8 * 128 + (lane % 8 ^ (lane // 8 & turn)) * 16 for lane in LANES],
             [lane // 8 * K + start + lane % 8 * 16 for lane in LANES])
line("pad144", "cpcg16", [lane // 8 * 144 + lane % 8 * 16 for lane in LANES],
     [lane // 8 * K + lane % 8 * 16 for lane in LANES])
for pad in (16, 32, 48, 64, 96, 112):  # how far a 64-byte row may be shifted for free
    line(f"one_row_at{pad}", "cpcg16", [pad + 16 * (lane % 4) for lane in LANES],
         [16 * (lane % 4) for lane in LANES], mask=0xF)
    line(f"two_rows_at{pad}", "cpcg16", [pad + lane // 4 * 64 + 16 * (lane % 4) for lane in LANES],
         [lane // 4 * K + 16 * (lane % 4) for lane in LANES], mask=0xFF)
    line(f"sector_at{pad}", "cpcg16", [pad + 16 * (lane % 2) for lane in LANES],
         [16 * (lane % 2) for lane in LANES], mask=0x3)
    line(f"linear_at{pad}", "cpcg16", [pad + 16 * lane for lane in LANES],
         [16 * lane for lane in LANES])
    line(f"source_at{pad}", "cpcg16", [16 * lane for lane in LANES],
         [pad + 16 * lane for lane in LANES])
for count in (1, 2, 3, 4, 5, 6, 7, 8):  # rows of pad80, one by one
    line(f"pad80_first{count}", "cpcg16", [layouts(lane // 4, lane % 4)["pad80"] for lane in LANES],
         [lane // 4 * K + lane % 4 * 16 for lane in LANES], mask=(1 << 4 * count) - 1)
    line(f"pad80_only{count}", "cpcg16", [layouts(lane // 4, lane % 4)["pad80"] for lane in LANES],
         [lane // 4 * K + lane % 4 * 16 for lane in LANES], mask=0xF << 4 * (count - 1))
line("one_lane", "cpcg16", [0] * 32, [0] * 32, mask=1)
line("every_other", "cpcg16", [16 * lane for lane in LANES], [16 * lane for lane in LANES],
     mask=0x55555555)
line("spread_source", "cpcg16", [16 * lane for lane in LANES], [K * lane for lane in LANES])
line("spread_source_32", "cpcg16", [16 * lane for lane in LANES], [32 * lane for lane in LANES])
line("spread_both", "cpcg16", [128 * lane for lane in LANES], [K * lane for lane in LANES])
line("spread_destination", "cpcg16", [128 * lane for lane in LANES], [16 * lane for lane in LANES])
line("same_source", "cpcg16", [16 * lane for lane in LANES], [0] * 32)
line("reversed", "cpcg16", [16 * (31 - lane) for lane in LANES], [16 * lane for lane in LANES])
line("rows_reversed", "cpcg16", [16 * (lane ^ 28) for lane in LANES], [16 * lane for lane in LANES])
for n in range(20):
    chunks = random.sample(range(32), 32)
    line(f"shuffled_destination{n}", "cpcg16", [16 * c for c in chunks], [16 * lane for lane in LANES])
for n in range(10):
    chunks = random.sample(range(32), 32)
    line(f"shuffled_both{n}", "cpcg16", [16 * c for c in chunks], [16 * c for c in chunks])
for n in range(10):
    sectors = random.sample(range(16), 16)
    line(f"shuffled_sectors{n}", "cpcg16", [16 * lane for lane in LANES],
         [32 * sectors[lane // 2] + 16 * (lane % 2) for lane in LANES])
for n in range(10):
    rows = random.sample(range(64), 8)
    line(f"random_rows{n}", "cpcg16", [16 * (4 * rows[lane // 4] + lane % 4) for lane in LANES],
         [lane // 4 * K + lane % 4 * 16 for lane in LANES])
for n in range(16):
    line(f"random{n}", random.choice(["cpcg16", "cpcg16", "cp16"]),
         [16 * c for c in random.sample(range(128), 32)],
         [16 * random.randrange(4096) for _ in LANES],
         mask=random.choice([ALL, random.getrandbits(32) | 1]))
for size in (4, 8):
    op = f"cp{size}"
    line("linear", op, [size * lane for lane in LANES], [size * lane for lane in LANES])
    line("spread_source", op, [size * lane for lane in LANES], [K * lane for lane in LANES])
    line("spread_destination", op, [128 * lane for lane in LANES], [size * lane for lane in LANES])
    line("transposed", op, [lane % 8 * 128 + lane // 8 * size for lane in LANES],
         [size * lane for lane in LANES])
    for n in range(8):
        line(f"random{n}", op, [size * c for c in random.sample(range(512), 32)],
             [size * random.randrange(4096) for _ in LANES])

# --- Sectors of global accesses -------------------------------------------------------------------
for op, size in (("gld4", 4), ("gld16", 16), ("gst4", 4), ("gst16", 16)):
    line("contiguous", op, [0] * 32, [size * lane for lane in LANES])
    line("shifted", op, [0] * 32, [16 + size * lane for lane in LANES])
    line("spread", op, [0] * 32, [K * lane for lane in LANES])
    line("stride2", op, [0] * 32, [2 * size * lane for lane in LANES])
    line("same", op, [0] * 32, [0] * 32)
    line("half_warp", op, [0] * 32, [size * lane for lane in LANES], mask=0xFFFF)
    for n in range(4):
        line(f"random{n}", op, [0] * 32, [size * random.randrange(8192 // size) for _ in LANES])
