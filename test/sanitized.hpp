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

}  // namespace kbsim::test
