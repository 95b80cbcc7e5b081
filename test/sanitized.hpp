#pragma once

namespace kbsim::test {

/// Sanitizers make a program some ten times slower: tests of very many cases try fewer there.
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many cases of many a test tries: all, or a tenth where sanitizers watch.
constexpr unsigned fewer(unsigned cases) { return kSanitized && cases > 10 ? cases / 10 : cases; }

/// Selects cases of nested loops: all in release, every `nth` with sanitizers. `nth` has no common divisor
/// with the loops' lengths, so that each value of each loop is used.
class Sample {
 public:
  explicit Sample(int nth) : nth_{nth} {}
  [[nodiscard]] bool skips() { return kSanitized && ++number_ % nth_ != 0; }

 private:
  int nth_;
  int number_ = 0;
};

}  // namespace kbsim::test
