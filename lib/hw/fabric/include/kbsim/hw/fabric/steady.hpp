#pragma once

#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// A packet at a node and on the link by which it leaves: its first and last byte arrive at `head` and
/// `tail`, the link carries it from `start` to `end`.
struct Passage {
  Time head{};
  Time tail{};
  Time start{};
  Time end{};
};

/// True if two packets of one size that pass a FIFO link one right after the other set a pace: all packets
/// that follow at their distance also leave at their distance. `service` is the time of the link for one
/// packet. Either each finds the link free, or the second waits for the first, and so will the third.
[[nodiscard]] inline bool steady(const Passage& one, const Passage& two, Time overhead, Time service) {
  const Time gap = two.head - one.head;
  const Time step = two.start - one.start;
  if (two.tail - one.tail != gap || two.end - one.end != step) return false;
  if (one.start == one.head + overhead && two.start == two.head + overhead) return true;
  return two.start == one.end && gap <= step && (step == service || step == gap);
}

}  // namespace kbsim::hw
