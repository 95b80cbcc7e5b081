#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/explain/cause_graph.hpp"

namespace kbsim::explain {

/// The effects of one delay: the followers of each moment, and the orders in which it is first.
class CauseGraph::Delays {
 public:
  explicit Delays(const CauseGraph& graph);

  /// How much later `from` alone may be until an order flips; at most `bound`.
  [[nodiscard]] Time steady(std::uint32_t from, Time bound) const;

 private:
  // Numbers of the second nodes, by the first.
  struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> all;
  };
  template <class ForEach>
  [[nodiscard]] Lists lists(const ForEach& for_each) const;
  void follow(std::uint32_t node, Time bound) const;
  [[nodiscard]] Time until_flip(std::uint32_t node) const;
  void note(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t next() const;

  const CauseGraph& graph_;
  Lists followers_;
  Lists orders_;
  // State of one question; reset after it.
  mutable std::vector<Time> gaps_;  // a delay of `from` beyond this one delays the node by the excess
  mutable std::vector<std::uint64_t> open_;  // bits of nodes
  mutable std::size_t first_open_ = 0;       // no word before it has any
  mutable std::size_t last_open_ = 0;
  mutable std::vector<std::uint32_t> seen_;
};

}  // namespace kbsim::explain
