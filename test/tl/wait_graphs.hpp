// Kernels that wait, and the graph of their waits.
#pragma once

#include <string>
#include <vector>

#include "kbsim/tl/queue_waits.hpp"

namespace kbsim::test {

/// A kernel on `pe` that has waited for this since 3 ns.
inline Waiting waits(PeCoord pe, const Identity& what) {
  return {.process = "hello on " + to_string(pe),
          .what = "event " + what.text(),
          .since = 3_ns,
          .at = {},
          .who = KernelOn{pe},
          .awaits = what};
}

/// The two ends of one queue: E at `a`, W at `b`.
struct QueueEnds {
  QueueEnds(PeCoord at_a, PeCoord at_b)
      : a{.pe = at_a, .direction = "E", .peer = at_b, .ring = 1, .peer_ring = 2, .slots = 4},
        b{.pe = at_b, .direction = "W", .peer = at_a, .ring = 2, .peer_ring = 1, .slots = 4} {}

  QueueEnd a;
  QueueEnd b;
  [[nodiscard]] std::vector<QueueEnd> all() const { return {a, b}; }
};

/// The graph of queues alone.
inline WaitGraph queue_waits(const std::vector<Waiting>& waiting, const std::vector<QueueEnd>& ends) {
  Waits all{waiting};
  add_queue_waits(all, ends);
  add_queue_counters(all, ends);
  return all.take();
}

using Words = std::vector<std::string>;

/// Its edges as they are printed.
inline Words words(const WaitGraph& graph) {
  Words all;
  for (const WaitGraph::Edge& edge : graph.edges) all.push_back(edge.why);
  return all;
}

}  // namespace kbsim::test
