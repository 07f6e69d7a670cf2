// Random numbers of the benchmarks: fast, seeded, the same on every machine.
// Source of the Zipfian generator: Gray et al., Quickly generating billion-record synthetic databases (1994), as in YCSB.
#pragma once

#include <cmath>
#include <cstdint>

namespace indigo::bench {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  // Below n, which is far below 2^64.
  uint64_t below(uint64_t n) { return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64); }
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

// A permutation of the 64-bit numbers that scatters neighbours (the finalizer of MurmurHash3).
constexpr uint64_t scatter(uint64_t n) {
  n ^= n >> 33;
  n *= 0xff51afd7ed558ccdULL;
  n ^= n >> 33;
  n *= 0xc4ceb9fe1a85ec53ULL;
  n ^= n >> 33;
  return n;
}

// Ranks 0 .. n-1, rank r with a probability proportional to 1 / (r+1)^theta. Immutable after construction.
class Zipfian {
 public:
  Zipfian(uint64_t n, double theta) : n_(n) {
    for (uint64_t i = 1; i <= n; i++) zeta_ += std::pow(1.0 / static_cast<double>(i), theta);
    double zeta2 = 1 + std::pow(0.5, theta);
    alpha_ = 1 / (1 - theta);
    eta_ = (1 - std::pow(2.0 / static_cast<double>(n), 1 - theta)) / (1 - zeta2 / zeta_);
    second_ = 1 + std::pow(0.5, theta);
  }
  uint64_t rank(Random& random) const {
    double u = random.unit();
    double uz = u * zeta_;
    if (uz < 1) return 0;
    if (uz < second_) return 1;
    auto r = static_cast<uint64_t>(static_cast<double>(n_) * std::pow(eta_ * u - eta_ + 1, alpha_));
    return r < n_ ? r : n_ - 1;
  }

 private:
  uint64_t n_;
  double zeta_ = 0, alpha_ = 0, eta_ = 0, second_ = 0;
};

}  // namespace indigo::bench
