#include "halves.hpp"

#if defined(__x86_64__)

#include <cstdint>
#include <cstring>

#include <immintrin.h>

namespace kbsim::replay {
namespace {

constexpr std::size_t kAtOnce = 8;

[[gnu::target("avx,f16c")]] void convert_halves(const std::byte* from, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  for (; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, from + 2 * i, sizeof half);
    to[i] = _cvtsh_ss(half);
  }
}

}  // namespace

bool load_halves(std::span<const std::byte> from, float* to) {
  static const bool can = __builtin_cpu_supports("avx") != 0 && __builtin_cpu_supports("f16c") != 0;
  if (can) convert_halves(from.data(), from.size() / 2, to);
  return can;
}

}  // namespace kbsim::replay

#else

namespace kbsim::replay {

bool load_halves(std::span<const std::byte> /*from*/, float* /*to*/) { return false; }

}  // namespace kbsim::replay

#endif
