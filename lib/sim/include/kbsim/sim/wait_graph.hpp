#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/sim/deadlock.hpp"

namespace kbsim {

/// The waits between nodes when nothing can happen any more: plain data, for texts and drawings.
struct WaitGraph {
  /// Numbers of one thing of a node, which help to explain how the deadlock arose.
  struct Counters {
    std::string of;
    std::vector<std::pair<std::string, std::int64_t>> values;
  };
  struct Node {
    std::string name;
    std::optional<Waiting> waiting;  // none: it isn't there, or has ended, and others wait for it
    std::vector<Counters> counters;
    bool calls = false;  // a host program that waits for a call of its own: its places say which
  };
  /// Node `from` waits for something that node `to` would have to do.
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string why;
  };
  /// Node `from` waits, and the node that would have to do something isn't known.
  struct Unknown {
    std::size_t from = 0;
    std::string why;
    std::string in = {};  // the object in memory where it waits, by a name that people know
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Unknown> unknown = {};
};

/// The independent cycles: one for each set of nodes that all wait for each other, directly or not (a
/// strongly connected component). Each is the shortest one through the set's first node, and begins with it.
/// A cycle is its edges, each beginning where the one before ends; cycles are in the order of their first
/// nodes.
[[nodiscard]] std::vector<std::vector<std::size_t>> find_cycles(const WaitGraph& graph);

/// The first cycle; empty if there is none.
[[nodiscard]] std::vector<std::size_t> find_cycle(const WaitGraph& graph);

/// "cycle", or "cycle 2 of 3" if there are several.
[[nodiscard]] std::string cycle_title(std::size_t number, std::size_t all);

/// Why it waits, and in what.
[[nodiscard]] std::string to_string(const WaitGraph::Unknown& unknown);

/// Each cycle, then the other edges and all counters, a line each.
[[nodiscard]] std::string to_string(const WaitGraph& graph);

/// A deadlock with its wait graph. Its text has the cycles first, then the rest.
class DeadlockReport : public Error {
 public:
  /// `more` is text to append.
  DeadlockReport(const DeadlockError& found, WaitGraph graph, const std::string& more = "");

  [[nodiscard]] Time at() const { return at_; }
  [[nodiscard]] const std::vector<Waiting>& waiting() const { return waiting_; }
  [[nodiscard]] const WaitGraph& graph() const { return graph_; }

 private:
  Time at_;
  std::vector<Waiting> waiting_;
  WaitGraph graph_;
};

}  // namespace kbsim
