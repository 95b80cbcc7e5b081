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

/// Of the cases of nested loops, each in release, and every `nth` where sanitizers watch: a number without a
/// common divisor with the loops' lengths, so that all of each loop come up.
class Sample {
 public:
  explicit Sample(int nth) : nth_{nth} {}
  [[nodiscard]] bool skips() { return kSanitized && ++number_ % nth_ != 0; }

 private:
  int nth_;
  int number_ = 0;
};

}  // namespace kbsim::test
