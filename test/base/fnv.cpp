#include "kbsim/base/fnv.hpp"

#include <random>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/digest.hpp"

namespace kbsim {
namespace {

constexpr std::uint64_t kFirst = 0xcbf2'9ce4'8422'2325ULL;

std::uint64_t one_by_one(std::uint64_t state, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) state = fnv1a(state, byte);
  return state;
}

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_CASE("FNV-1a: has the values that its authors publish") {
  const auto of = [](std::string_view text) { return fnv1a(kFirst, std::as_bytes(std::span{text})); };
  CHECK(of("") == kFirst);
  CHECK(of("a") == 0xaf63'dc4c'8601'ec8cULL);
  CHECK(of("foobar") == 0x8594'4171'f739'67e8ULL);
}

TEST_CASE("FNV-1a: of many bytes is that of one after the other, of any length, alignment and first state") {
  constexpr std::size_t kMost = 100'000;
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    const std::vector<std::byte> bytes = random_bytes(random, kMost);
    const std::size_t skipped = random() % 64;
    const std::size_t some = seed % 4 == 0 ? random() % 5 * 16384 : random() % (kMost - skipped);
    const auto part = std::span{bytes}.subspan(skipped, some);
    const std::uint64_t state = random();
    REQUIRE(fnv1a(state, part) == one_by_one(state, part));
  }
}

TEST_CASE(
    "FNV-1a: of many equal bytes is that of one after the other, from each low byte of the first state") {
  for (unsigned low = 0; low < 256; ++low) {
    CAPTURE(low);
    for (const std::uint8_t byte : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      const std::vector<std::byte> bytes(16384, std::byte{byte});
      REQUIRE(fnv1a(low, bytes) == one_by_one(low, bytes));
    }
  }
}

TEST_CASE("Digest: of bytes doesn't hang on the parts in which they come, and of a text it has the number") {
  std::mt19937_64 random{1};
  const std::vector<std::byte> bytes = random_bytes(random, 50'000);
  const std::span all{bytes};
  const std::uint64_t whole = Digest{}.add_bytes(all).value();
  CHECK(Digest{}.add_bytes(all.first(20'000)).add_bytes(all.subspan(20'000)).value() == whole);
  CHECK(Digest{}.add_bytes(all.first(49'999)).value() != whole);
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  CHECK(Digest{}.add(text).value() == Digest{}.add_bytes(all).add(bytes.size()).value());
}

}  // namespace
}  // namespace kbsim
