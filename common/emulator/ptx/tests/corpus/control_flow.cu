// Inlining two levels deep from several places, packed addresses, loops with several ways back,
// a long switch.
struct __attribute__((packed)) Packed {
  char tag;
  int* at;
};
__device__ int target;
__device__ Packed packed = {1, &target};

__device__ __forceinline__ int leaf(int x, int* o) {
  o[x] = x * x;
  return o[x + 1];
}
__device__ __forceinline__ int middle(int x, int* o) {
  int a = leaf(x, o);
  a += leaf(x * 3, o);
  return a;
}
__global__ void inlined(int* o, int n) {
  int s = middle(n, o);
  for (int i = 0; i < n; ++i) s += middle(i, o + 100);
  s += middle(n, o + 2);
  o[0] = s + packed.at[0];
}

__global__ void many_ways_back(int* o) {
  for (int i = 0;;) {
    if (o[i] == 3) {
      i = o[i + 1];
      continue;
    }
    if (o[i] == 4) {
      i = o[i + 2];
      o[9] += i;
      continue;
    }
    if (o[i] == 5) break;
    i += 3;
    do {
      ++i;
      if (o[i] == 77) goto out;
    } while (o[i] & 1);
  }
out:
  o[1] = 1;
}

__global__ void long_switch(int* o, int n) {
  int v = 0;
  switch (n) {
#define CASE(i)                            \
  case i:                                  \
    v = o[i * i + 3] * (i + 7) ^ o[v + i]; \
    o[i + 100] = v;                        \
    if (v > i * 33) break;                 \
    o[i] += 5;                             \
    break;
    CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9)
  }
  o[0] = v;
}
