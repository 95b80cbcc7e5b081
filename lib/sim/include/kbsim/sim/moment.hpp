#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim {

/// How a moment follows from its parent. Reasons and places are numbers that their makers define.
struct Why {
  std::uint16_t reason = 0;  // 0: not stated
  std::uint32_t place = 0;
  std::int64_t amount = 0;  // bytes, or another unit that the reason counts
  std::uint32_t line = 0;   // see KernelLines; 0: no kernel's
  bool queued = false;      // the parent is the end of earlier work of the same server
  friend bool operator==(const Why&, const Why&) = default;
};

/// A time that was computed as the latest of several; `parent` was the last of them. A moment that was
/// computed back from a later time is earlier than its parent. A stepped moment is the first step at or after
/// its parent. It follows from `other`, a moment of its own time, as long as that holds.
struct Moment {
  Time at{};
  std::uint32_t parent = 0;  // 0: none is known
  std::uint32_t count = 1;   // consecutive moments of one kind and length; `at` is the last one's
  Why why;
  bool tied = false;        // another cause came at the same time as the parent
  bool stepped = false;     // it goes in steps: while all are kept it follows from `other`
  std::uint32_t other = 0;  // the last cause before the parent, while all are kept
};

/// The reason of a moment without length: the later of two.
inline constexpr std::uint16_t kLatest = 0xffff;

}  // namespace kbsim
