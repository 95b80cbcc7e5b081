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
  std::int64_t flips = 0;  // pairs that a link, port or engine would serve in the other order; 0: exact
};

class CauseKinds;

/// All kept causes of a stretch of a run: each moment is the latest of its causes plus a length that follows
/// from keys. Statements about other values hold while the order of service stays the same. Memory and time
/// are proportional to the moments.
class CauseGraph {
 public:
  /// A graph of the causes that Causes::keeps_all() kept. Moments until `begin` keep their times.
  CauseGraph(const Cause& end, Time begin, const hw::Machine& machine);
  /// Another stretch of the same run; it shares the known kinds of moments.
  CauseGraph(const Cause& end, Time begin, const CauseGraph& run);

  /// The keys that the length of any moment follows from.
  [[nodiscard]] const std::map<std::string, Term>& keys() const { return keys_; }
  [[nodiscard]] Prediction at(const std::string& key, double value) const;
  /// Slopes on both sides, and the range in which the path stays the same; of `path`, none if the key isn't
  /// on it.
  [[nodiscard]] Sides sides(const std::string& key, const Derivative* path) const;
  /// By place off the path, the least first: how much later its work could have ended.
  [[nodiscard]] std::vector<Slack> slacks() const;
  /// The margin of the moment `ended`; up to the end itself where nothing follows from it.
  [[nodiscard]] Margin margin_of(const Cause& ended) const;
  /// The `most` operations nearest to the path, among those that the end follows from.
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
  // The end as a function of a key.
  struct Course {
    Time at{};
    double slope_ns = 0.0;
  };
  // A moment of a path to the end, or of a tied path; causes are indices into these.
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
  std::vector<std::uint32_t> places_;  // by moment; kNone: it isn't here
  std::vector<std::pair<std::uint32_t, std::uint32_t>> orders_;
  std::map<std::string, Term> keys_;
  std::vector<Tied> tied_;    // causes first; the last is the end
  std::vector<Time> latest_;  // the latest time each may arrive; kForever: the end doesn't follow from it
  std::shared_ptr<const Times> times_;            // of the end
  mutable std::shared_ptr<const Delays> delays_;  // once they are asked for
};

/// Adds the slopes and ranges of keys, and slacks, from the graph of the path's end and begin.
void add_sides(Explanation& what, const CauseGraph& graph);
/// Adds slacks of operations.
void add_op_slacks(Explanation& what, const CauseGraph& graph, const OpMarks& marks);
/// Adds everything of both kinds that the text of a path shows.
void add_shown(Explanation& what, const CauseGraph& graph, const OpMarks& marks);

}  // namespace kbsim::explain
