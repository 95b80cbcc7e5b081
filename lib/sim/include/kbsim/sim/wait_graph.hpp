#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/sim/deadlock.hpp"

namespace kbsim {

/// Who waits for whom, when nothing can happen any more: plain data, for texts and drawings.
struct WaitGraph {
  /// Numbers of something that a node has, for whoever wants to know how it came to this.
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
  /// Node `from` waits, and nobody is known who would have to do something.
  struct Unknown {
    std::size_t from = 0;
    std::string why;
    std::string in = {};  // what lies where it waits, by a name that people know
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Unknown> unknown = {};
};

/// The independent cycles: one for each set of nodes that all wait for each other, directly or not (a
/// strongly connected component), the shortest through the first of these nodes and beginning with it. Each
/// is its edges, one beginning where that before it ends; cycles are in the order of their first nodes.
[[nodiscard]] std::vector<std::vector<std::size_t>> find_cycles(const WaitGraph& graph);

/// The first of them. Empty if there is none.
[[nodiscard]] std::vector<std::size_t> find_cycle(const WaitGraph& graph);

/// "cycle", or of several "cycle 2 of 3".
[[nodiscard]] std::string cycle_title(std::size_t number, std::size_t all);

/// Why, and what that is in.
[[nodiscard]] std::string to_string(const WaitGraph::Unknown& unknown);

/// Each cycle, then the other edges and all counters, a line each.
[[nodiscard]] std::string to_string(const WaitGraph& graph);

/// A deadlock, and who waits for whom. Its text has the cycles first, then all else that is known.
class DeadlockReport : public Error {
 public:
  /// `more` is text that others have to say.
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
