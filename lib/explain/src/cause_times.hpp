#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/explain/cause_graph.hpp"

namespace kbsim::explain {

/// The moments that the end's time follows from, for frequent evaluation. Moments that are equal for every
/// value of every key are merged. Causes that are never the latest are left out.
class CauseGraph::Times {
 public:
  explicit Times(const CauseGraph& graph);

  /// Time of each place if costs change by `changes`. A rate or a latency makes no length negative.
  [[nodiscard]] std::vector<Time> with(const std::vector<Time>& changes) const;
  /// The place of a moment that leads to the end.
  [[nodiscard]] std::uint32_t place(std::uint32_t node) const { return places_[node]; }
  [[nodiscard]] bool leads(std::uint32_t node) const { return places_[node] != kNone; }
  /// Whether the end follows from this cost.
  [[nodiscard]] bool has_cost(std::uint32_t cost) const { return has_cost_[cost]; }

 private:
  // The later of two places, and a length.
  struct Step {
    std::uint32_t one = 0;
    std::uint32_t other = 0;
    std::uint32_t length = 0;
    friend bool operator==(const Step&, const Step&) = default;
    friend std::size_t hash_value(const Step& step) {
      constexpr std::uint64_t kMix = 0x9e37'79b9'7f4a'7c15;
      std::uint64_t h = ((std::uint64_t{step.one} << 32U) + step.other) * kMix;
      h = (h ^ (h >> 32U) ^ step.length) * kMix;
      return h ^ (h >> 32U);
    }
  };
  struct Length {
    Time length{};
    std::uint32_t cost = 0;
    bool grows = false;  // it is never negative
  };
  [[nodiscard]] std::vector<bool> leading() const;
  [[nodiscard]] std::uint32_t place_root(Time at);
  [[nodiscard]] std::uint32_t place_step(Step step);
  [[nodiscard]] Step step_of(const Node& node);
  [[nodiscard]] bool is_never_later(std::uint32_t one, std::uint32_t than, int steps) const;
  [[nodiscard]] std::uint32_t length_of(const Node& node);
  [[nodiscard]] bool grows(const Node& node, std::uint32_t cost) const;

  const CauseGraph& graph_;
  std::vector<std::uint32_t> places_;  // by node; kNone: it doesn't lead to the end
  std::vector<Time> roots_;            // the first places
  std::vector<Step> steps_;            // the places after the roots
  std::vector<Length> lengths_;
  std::vector<bool> has_cost_;
  boost::unordered_flat_map<std::int64_t, std::uint32_t> root_numbers_;
  boost::unordered_flat_map<Step, std::uint32_t> step_numbers_;
  boost::unordered_flat_map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> length_numbers_;
  std::vector<Time> least_;  // by place: the earliest time for any value of a key
};

}  // namespace kbsim::explain
