// FNV-1a of a block in 64 parts at once. A byte changes only the lowest eight bits of the state before it is
// multiplied by the prime p: h' = (h + d) p, with d = (low(h) ^ byte) - low(h). So the state after n bytes is
// h p^n + d_1 p^n + d_2 p^(n-1) + ... + d_n p: a sum. Only the low bits of its terms depend on each other.
//
// The low bits of the parts' first states are found bit by bit. Bit k of a state doesn't depend on higher
// bits, and bit k of a part's first state only flips that of its last. So where bits below k are known, the
// parts run with bit k = 0, and their last states show which of them flip it. Bits 0 and 1 need no such run.
// With p = 3 mod 4 and even lengths, the last bit 0 is the sum of all bytes' bits 0. Bit 1 is that of their
// bits 1 and of every other one's bit 0.
#include "fnv_blocks.hpp"

#if defined(__x86_64__)

#include <array>

#include <immintrin.h>

#include "kbsim/base/fnv.hpp"

namespace kbsim {
namespace fnv_parts {
namespace {

constexpr std::size_t kLanes = 16;     // parts in a register, as words of 16 bits
constexpr std::size_t kRegisters = 4;  // enough to keep the multiplier busy
constexpr std::size_t kParts = kLanes * kRegisters;
constexpr std::size_t kLength = kFnvBlock / kParts;  // bytes of a part
constexpr std::size_t kSteps = kLength / 2;
constexpr std::size_t kDigits = 4;  // of 16 bits, of a power of the prime

/// A word of each part.
using Words = std::array<std::uint16_t, kParts>;
/// Word t of part s at [t][s].
struct alignas(32) Block {
  std::array<Words, kSteps> words;
};

constexpr std::uint64_t power_of_prime(std::size_t n) {
  std::uint64_t power = 1;
  for (; n > 0; --n) power *= kFnvPrime;
  return power;
}

/// Takes the lowest digit, from -32768 to 32767, off a number modulo 2^64.
constexpr std::uint16_t take_digit(std::uint64_t& number) {
  const auto digit = static_cast<std::uint16_t>(number);
  number = (number >> 16) + (digit >> 15);
  return digit;
}

using Weights = std::array<std::array<std::int32_t, kDigits>, kSteps>;

/// The weights of a step's two bytes in the sum: each digit of both powers in one word of 32 bits.
Weights make_weights() {
  Weights weights{};
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::uint64_t first = power_of_prime(kLength - 2 * step);
    std::uint64_t second = power_of_prime(kLength - 2 * step - 1);
    for (std::int32_t& both : weights[step]) {
      const std::uint32_t low = take_digit(first);
      both = static_cast<std::int32_t>(low | std::uint32_t{take_digit(second)} << 16);
    }
  }
  return weights;
}

[[gnu::target("avx2")]] inline __m256i load(const std::uint16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
[[gnu::target("avx2")]] inline void store(std::uint16_t* to, __m256i words) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
}

using Registers = std::array<__m256i, kRegisters>;

[[gnu::target("avx2")]] inline Registers load_all(const Words& words) {
  Registers all;
  for (std::size_t r = 0; r < kRegisters; ++r) all[r] = load(&words[r * kLanes]);
  return all;
}

/// Eight words of each of 16 parts: parts 0 to 7 in lower halves, 8 to 15 in upper ones.
[[gnu::target("avx2")]] inline std::array<__m256i, 8> eight_words(const std::byte* from) {
  std::array<__m256i, 8> rows;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto* const low = reinterpret_cast<const __m128i*>(from + i * kLength);
    const auto* const high = reinterpret_cast<const __m128i*>(from + (i + 8) * kLength);
    rows[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1);
  }
  return rows;
}

/// Each half is an 8 x 8 matrix of words; one of three shuffles that make its rows columns.
[[gnu::target("avx2")]] inline std::array<__m256i, 8> shuffled(const std::array<__m256i, 8>& rows) {
  std::array<__m256i, 8> next;
  for (std::size_t i = 0; i < 4; ++i) {
    next[2 * i] = _mm256_unpacklo_epi16(rows[i], rows[i + 4]);
    next[2 * i + 1] = _mm256_unpackhi_epi16(rows[i], rows[i + 4]);
  }
  return next;
}

/// Fills `to`, and `sums` with each part's words, added without carry.
[[gnu::target("avx2")]] void transpose(const std::byte* from, Block& to, Words& sums) {
  for (std::size_t r = 0; r < kRegisters; ++r) {
    __m256i sum = _mm256_setzero_si256();
    for (std::size_t step = 0; step < kSteps; step += 8) {
      const auto rows = eight_words(from + r * kLanes * kLength + 2 * step);
      const auto columns = shuffled(shuffled(shuffled(rows)));
      for (std::size_t i = 0; i < 8; ++i) {
        sum = _mm256_xor_si256(sum, columns[i]);
        store(&to.words[step + i][r * kLanes], columns[i]);
      }
    }
    store(&sums[r * kLanes], sum);
  }
}

/// The low bits of the states after the parts; bits above the lowest eight mean nothing.
[[gnu::target("avx2")]] void run(const Block& block, const Words& starts, Words& ends) {
  const __m256i prime = _mm256_set1_epi16(static_cast<std::int16_t>(kFnvPrime));
  Registers low = load_all(starts);
  for (const Words& words : block.words) {
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const __m256i word = load(&words[r * kLanes]);
      low[r] = _mm256_mullo_epi16(_mm256_xor_si256(low[r], word), prime);
      low[r] = _mm256_mullo_epi16(_mm256_xor_si256(low[r], _mm256_srli_epi16(word, 8)), prime);
    }
  }
  for (std::size_t r = 0; r < kRegisters; ++r) store(&ends[r * kLanes], low[r]);
}

/// Sets one bit of the parts' first states: that of the state before the block, flipped by each part whose
/// end has it.
void settle(unsigned bit, std::uint64_t state, const Words& ends, Words& starts) {
  unsigned now = static_cast<unsigned>(state >> bit) & 1U;
  for (std::size_t part = 0; part < kParts; ++part) {
    starts[part] = static_cast<std::uint16_t>(starts[part] | now << bit);
    now ^= ends[part] >> bit & 1U;
  }
}

Words first_states(std::uint64_t state, const Block& block, Words ends) {
  Words starts{};
  for (std::uint16_t& end : ends) end = static_cast<std::uint16_t>(end ^ (end >> 8) ^ ((end >> 8) & 1) << 1);
  settle(0, state, ends, starts);
  settle(1, state, ends, starts);
  for (unsigned bit = 2; bit < 8; ++bit) {
    run(block, starts, ends);
    settle(bit, state, ends, starts);
  }
  return starts;
}

/// The changes that bytes make in their states, the two of a step side by side. The first and third four
/// parts of a register are in `block`, the others in `others`.
[[gnu::target("avx2")]] void find_changes(Block& block, Block& others, const Words& starts) {
  const __m256i prime = _mm256_set1_epi16(static_cast<std::int16_t>(kFnvPrime));
  const __m256i byte = _mm256_set1_epi16(0xff);
  Registers low = load_all(starts);
  for (std::size_t step = 0; step < kSteps; ++step) {
    for (std::size_t r = 0; r < kRegisters; ++r) {
      std::uint16_t* const at = &block.words[step][r * kLanes];
      const __m256i word = load(at);
      const __m256i first = _mm256_and_si256(_mm256_xor_si256(low[r], word), byte);
      const __m256i by_first = _mm256_sub_epi16(first, low[r]);
      const __m256i middle = _mm256_and_si256(_mm256_mullo_epi16(first, prime), byte);
      const __m256i second = _mm256_xor_si256(middle, _mm256_srli_epi16(word, 8));
      const __m256i by_second = _mm256_sub_epi16(second, middle);
      low[r] = _mm256_and_si256(_mm256_mullo_epi16(second, prime), byte);
      store(at, _mm256_unpacklo_epi16(by_first, by_second));
      store(&others.words[step][r * kLanes], _mm256_unpackhi_epi16(by_first, by_second));
    }
  }
}

/// A part's sum, by digits.
using Digits = std::array<std::array<std::int32_t, kLanes>, kDigits>;

/// The sums of a register's parts. At most 256 * 255 * 32768 < 2^31 add up in a digit.
[[gnu::target("avx2")]] void add_up(const Block& block, const Block& others, std::size_t r, Digits& sums) {
  static const Weights kWeights = make_weights();
  std::array<__m256i, kDigits> low;
  std::array<__m256i, kDigits> high;
  low.fill(_mm256_setzero_si256());
  high.fill(_mm256_setzero_si256());
  for (std::size_t step = 0; step < kSteps; ++step) {
    const __m256i changes = load(&block.words[step][r * kLanes]);
    const __m256i more = load(&others.words[step][r * kLanes]);
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      const __m256i weight = _mm256_set1_epi32(kWeights[step][digit]);
      low[digit] = _mm256_add_epi32(low[digit], _mm256_madd_epi16(changes, weight));
      high[digit] = _mm256_add_epi32(high[digit], _mm256_madd_epi16(more, weight));
    }
  }
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums[digit].data()), low[digit]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums[digit].data() + kLanes / 2), high[digit]);
  }
}

/// Where find_changes() and add_up() leave a part of a register.
constexpr std::size_t place_of(std::size_t part) {
  return (part & 3) + ((part & 4) != 0 ? 8 : 0) + ((part & 8) != 0 ? 4 : 0);
}

std::uint64_t sum_of(const Digits& sums, std::size_t part) {
  std::uint64_t sum = 0;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    const std::int64_t signed_digit = sums[digit][place_of(part)];
    sum += static_cast<std::uint64_t>(signed_digit) << (16 * digit);
  }
  return sum;
}

struct Workspace {
  Block block;
  Block others;
};

std::uint64_t after_block(std::uint64_t state, const std::byte* bytes, Workspace& workspace) {
  static const std::uint64_t kPower = power_of_prime(kLength);
  Words sums;
  transpose(bytes, workspace.block, sums);
  const Words starts = first_states(state, workspace.block, sums);
  find_changes(workspace.block, workspace.others, starts);
  for (std::size_t r = 0; r < kRegisters; ++r) {
    Digits digits;
    add_up(workspace.block, workspace.others, r, digits);
    for (std::size_t part = 0; part < kLanes; ++part) state = state * kPower + sum_of(digits, part);
  }
  return state;
}

}  // namespace
}  // namespace fnv_parts

bool has_fnv_blocks() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

std::uint64_t fnv_blocks(std::uint64_t state, std::span<const std::byte> blocks) {
  fnv_parts::Workspace workspace;
  for (std::size_t at = 0; at < blocks.size(); at += kFnvBlock)
    state = fnv_parts::after_block(state, blocks.data() + at, workspace);
  return state;
}

}  // namespace kbsim

#else

namespace kbsim {

bool has_fnv_blocks() { return false; }

std::uint64_t fnv_blocks(std::uint64_t state, std::span<const std::byte> /*blocks*/) { return state; }

}  // namespace kbsim

#endif
