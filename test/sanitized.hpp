#pragma once

namespace kbsim::test {

/// Sanitizers make a program some ten times slower: tests of very many cases try fewer there.
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace kbsim::test
