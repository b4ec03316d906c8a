// The translation unit of a GEMM submission: the submission, and nothing else.
#include "submission.cuh"
