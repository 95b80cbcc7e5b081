#pragma once

#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"

namespace kbsim::hw {

/// Where the time of one message went; the parts sum to its total.
struct Split {
  Time overhead{};  // of the nodes before each link
  Time wire{};      // propagation
  Time drain{};     // its bytes over the slowest link, or from its source if that is slower
  Time queueing{};  // the rest: waiting for links that others hold

  [[nodiscard]] Time total() const { return overhead + wire + drain + queueing; }
  Split& operator+=(const Split& other) {
    overhead += other.overhead;
    wire += other.wire;
    drain += other.drain;
    queueing += other.queueing;
    return *this;
  }
  /// As IRepeatable.
  void visit(RepeatVisitor& visitor) {
    for (Time* part : {&overhead, &wire, &drain, &queueing}) visitor.count(*part);
  }
};

/// A packet at a node and on the link by which it left: its head arrived at `arrive`, the link carried it
/// from `start` to `end`.
struct Hop {
  LinkId link;
  Time arrive{};
  Time start{};
  Time end{};
};

/// A message that has arrived, and the hops of its last packet.
struct MessageTrace {
  NodeId from;
  NodeId to;
  Bytes size;
  Time sent{};
  Time arrived{};  // its tail
  Split split;
  std::vector<Hop> hops;
};

}  // namespace kbsim::hw
