#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/keys.hpp"

namespace kbsim::explain {

/// How a stretch of a run would end with another value of a key.
struct Prediction {
  Time length{};
  std::int64_t flips =
      0;  // pairs that a link, a port or an engine would serve in the other order: 0: it is exact
};

class CauseKinds;

/// All causes of a stretch of a run, as far as they were kept: each moment is the latest of its causes and a
/// length that follows from keys. What it says of other values holds while everybody is served in the order
/// in which he was. Memory and time are proportional to the moments.
class CauseGraph {
 public:
  /// Of what Causes::keeps_all() kept. Moments until `begin` are as they were.
  CauseGraph(const Cause& end, Time begin, const hw::Machine& machine);
  /// Another stretch of the same run: it shares what is known of kinds of moments.
  CauseGraph(const Cause& end, Time begin, const CauseGraph& run);

  /// Keys that the length of any of its moments follows from.
  [[nodiscard]] const std::map<std::string, Term>& keys() const { return keys_; }
  [[nodiscard]] Prediction at(const std::string& key, double value) const;
  /// Slopes on both sides, and from where to where the path stays: that of `path`, none if it isn't on it.
  [[nodiscard]] Sides sides(const std::string& key, const Derivative* path) const;
  /// How much later what was done at places could have ended, the least first; those on the path are left
  /// out.
  [[nodiscard]] std::vector<Slack> slacks() const;
  /// Of what ended at this moment: as late as the end itself where nothing follows from it.
  [[nodiscard]] Margin margin_of(const Cause& ended) const;
  /// Of the operations that the end follows from, `most` that come nearest to the path.
  [[nodiscard]] std::vector<OpSlack> op_slacks(const OpMarks& marks, std::size_t most) const;
  [[nodiscard]] std::size_t moments() const { return nodes_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Node {
    Time at{};
    Time length{};
    std::uint32_t parent = kNone;
    std::uint32_t other = kNone;
    std::uint32_t kind = 0;
  };
  // How the end goes with a key.
  struct Course {
    Time at{};
    double slope_ns = 0.0;
  };
  // A moment of a path to the end, or of one that ties with it: causes by their numbers among these.
  struct Tied {
    std::uint32_t parent = kNone;
    std::uint32_t other = kNone;
    std::uint32_t cost = 0;
  };
  class Builder;
  class Times;
  class Delays;

  CauseGraph(const Cause& end, Time begin, const hw::Machine& machine, std::shared_ptr<CauseKinds> kinds);
  [[nodiscard]] std::uint32_t cost(const Node& node) const;
  [[nodiscard]] std::vector<Tied> tied() const;
  [[nodiscard]] std::vector<Time> latest() const;
  [[nodiscard]] Course course(const std::string& key, double value) const;
  [[nodiscard]] std::vector<Time> times(const std::vector<Time>& changes) const;
  [[nodiscard]] const Delays& delays() const;
  [[nodiscard]] Slack& slack_at(const Segment& work, std::map<std::string, Slack>& by_place) const;
  [[nodiscard]] double slope(const std::vector<double>& slopes, bool more) const;
  [[nodiscard]] std::optional<double> edge(const Term& key, const Derivative* path, double limit) const;

  const hw::Machine& machine_;
  Time begin_;
  std::shared_ptr<CauseKinds> kinds_;
  std::vector<Node> nodes_;            // causes first; the last is the end
  std::vector<std::uint32_t> places_;  // of moments; kNone: it isn't here
  std::vector<std::pair<std::uint32_t, std::uint32_t>> orders_;
  std::map<std::string, Term> keys_;
  std::vector<Tied> tied_;                        // causes first; the last is the end
  std::vector<Time> latest_;                      // that each may come; kForever: the end isn't behind it
  std::shared_ptr<const Times> times_;            // of the end
  mutable std::shared_ptr<const Delays> delays_;  // once they are asked for
};

/// Adds what the graph of the path's end and begin knows: slopes and ranges of keys, slacks.
void add_sides(Explanation& what, const CauseGraph& graph);
/// And slacks of operations.
void add_op_slacks(Explanation& what, const CauseGraph& graph, const OpMarks& marks);
/// Of both what the text of a path shows.
void add_shown(Explanation& what, const CauseGraph& graph, const OpMarks& marks);

}  // namespace kbsim::explain
