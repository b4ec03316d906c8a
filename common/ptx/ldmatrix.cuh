// ldmatrix: 8×8 tiles of 16-bit elements from shared memory straight into fragment layout.
//
// Each lane passes the address of one row (8 halves, 16 bytes, 16-byte aligned): lanes 0–7 the rows
// of the first tile, 8–15 of the second, and so on. Lane l receives row l / 4, columns 2·(l % 4)
// and the next, of every tile; with .trans, of every tile's transpose. Each tile is transposed on
// its own: an .x4.trans is not the transpose of a 16×16.
//
// On sm_75 every lane must pass a valid address, also where .x1 and .x2 ignore it.
// PTX ISA 9.0, 9.7.14.5.15. Requires sm_75. Addresses: ptx::shared_address().
#pragma once

#include <cstdint>

namespace tcd::ptx {

// One tile; rows from lanes 0–7.
__device__ inline void ldmatrix_x1(uint32_t (&r)[1], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row));
}

// Two tiles; rows from lanes 0–15. An A fragment of m16n8k8.
__device__ inline void ldmatrix_x2(uint32_t (&r)[2], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(row));
}

// Four tiles; rows from all lanes. An A fragment of m16n8k16, or B for two.
__device__ inline void ldmatrix_x4(uint32_t (&r)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row));
}

// Four row-major tiles, each delivered transposed: B fragments from row-major B.
__device__ inline void ldmatrix_x4_trans(uint32_t (&r)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row));
}

}  // namespace tcd::ptx
