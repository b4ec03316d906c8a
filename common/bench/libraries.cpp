// What the days are compared with, opened at run time.
#include <dlfcn.h>

#include "bench/candidate.h"
#include "bench/cublas_lt.h"
#include "bench/peer/peer.h"
#include "harness/cublas.h"
#include "harness/usage.h"

namespace tcd::bench {

std::vector<Candidate> cublas_candidates(const Size& size, int guesses, std::string& why) {
  std::vector<Candidate> candidates;
  const std::shared_ptr<harness::Cublas> cublas = harness::Cublas::open(why);
  if (!cublas) return candidates;
  Candidate plain;
  plain.kind = Kind::kCublas;
  plain.name = "cuBLAS";
  plain.launch = [cublas](const HalfGemm& gemm) { cublas->gemm(gemm); };
  candidates.push_back(std::move(plain));
  const std::shared_ptr<CublasLt> lt = CublasLt::open(why);
  if (!lt) return candidates;
  const int found = lt->guess(size.m, size.n, size.k, guesses);
  for (int i = 0; i < found; ++i) {
    Candidate guess;
    guess.kind = Kind::kCublas;
    guess.name = "cuBLASLt guess " + std::to_string(i + 1);
    guess.launch = [lt, i](const HalfGemm& gemm) { lt->gemm(gemm, i); };
    candidates.push_back(std::move(guess));
  }
  return candidates;
}

std::vector<Candidate> peer_candidates(const std::string& library) {
  // Without a slash the loader would look in its own folders only.
  const std::string path = library.find('/') == std::string::npos ? "./" + library : library;
  void* handle = dlopen(path.c_str(), RTLD_NOW);
  if (!handle) throw harness::UsageError("--peer " + library + ": " + dlerror());
  const auto peer = reinterpret_cast<const TcdPeer* (*)()>(dlsym(handle, "tcd_peer"));
  if (!peer) {
    throw harness::UsageError("--peer " + library +
                              " has no tcd_peer(): it was not built from common/bench/peer");
  }
  std::vector<Candidate> candidates;
  for (int i = 0; i < peer()->count; ++i) {
    const TcdPeerKernel& kernel = peer()->kernels[i];
    Candidate candidate;
    candidate.kind = Kind::kPeer;
    candidate.name = std::string("peer ") + kernel.name;
    candidate.launch = [&kernel](const HalfGemm& gemm) {
      const int status = kernel.launch(gemm.m, gemm.n, gemm.k, gemm.a, gemm.b, gemm.d);
      if (status != 0) {
        throw CandidateRefused(status == 1 ? "this configuration cannot take the size"
                                           : "the peer could not launch it here");
      }
    };
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace tcd::bench
