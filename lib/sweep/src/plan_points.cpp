// The points of a plan: combinations of values, those that fulfil the conditions, or a sample of these.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/random.hpp"

#include "sweep_plan_draft.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostPoints = 2'000'000;

// The combinations, by number: the last group is the fastest.
class Product {
 public:
  Product(const std::vector<Axis>& axes, std::vector<AxisGroup> groups)
      : axes_{axes}, groups_{std::move(groups)} {
    for (const AxisGroup& group : groups_) {
      const std::size_t n = size_of(group);
      if (size_ > kMost / std::max<std::size_t>(n, 1))
        throw UsageError{"the axes have more than 10^18 combinations"};
      size_ *= n;
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Point at(std::size_t number) const {
    Point point(axes_.size());
    for (std::size_t g = groups_.size(); g-- > 0;) {
      const std::size_t n = size_of(groups_[g]);
      for (const std::size_t axis : groups_[g]) point[axis] = static_cast<std::uint32_t>(number % n);
      number /= n;
    }
    return point;
  }

 private:
  static constexpr std::size_t kMost = 1'000'000'000'000'000'000;
  [[nodiscard]] std::size_t size_of(const AxisGroup& group) const {
    return axes_[group.front()].values.size();
  }
  const std::vector<Axis>& axes_;
  std::vector<AxisGroup> groups_;
  std::size_t size_ = 1;
};

class Filter {
 public:
  Filter(const std::vector<Axis>& axes, std::vector<Condition> conditions)
      : conditions_{std::move(conditions)} {
    for (const Axis& axis : axes) {
      terms_.emplace_back();
      for (const AxisValue& value : axis.values) terms_.back().push_back(term_of(value.text));
    }
  }
  [[nodiscard]] bool admits(const Point& point) const {
    if (conditions_.empty()) return true;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < point.size(); ++i) terms.push_back(terms_[i][point[i]]);
    return std::ranges::all_of(conditions_, [&](const Condition& each) { return each.holds(terms); });
  }

 private:
  std::vector<Condition> conditions_;
  std::vector<std::vector<Term>> terms_;
};

std::vector<Point> all_points(const Product& product, const Filter& filter) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < product.size(); ++i) {
    if (Point point = product.at(i); filter.admits(point)) points.push_back(std::move(point));
  }
  return points;
}

// A sample from more combinations than can be listed: drawn ones that fulfil the conditions.
std::vector<Point> rare_points(const Product& product, const Filter& filter, const Sample& sample) {
  constexpr std::size_t kTries = 1'000'000;  // in vain, one after the other
  Random random{sample.seed};
  std::set<std::size_t> chosen;
  for (std::size_t tries = 0; chosen.size() < sample.count && tries < kTries; ++tries) {
    const std::size_t number = random.below(product.size());
    if (filter.admits(product.at(number)) && chosen.insert(number).second) tries = 0;
  }
  if (chosen.size() < sample.count)
    throw UsageError{fmt::format("random: only {} found for which 'where' holds",
                                 counted(chosen.size(), "point was", "points were"))};
  std::vector<Point> points;
  for (const std::size_t number : chosen) points.push_back(product.at(number));
  return points;
}

}  // namespace

std::vector<Point> points_of(const std::vector<Axis>& axes, CheckedDraft draft) {
  const Product product{axes, std::move(draft.groups)};
  const Filter filter{axes, std::move(draft.conditions)};
  const std::optional<Sample>& sample = draft.sample;
  if (product.size() > kMostPoints) {
    if (!sample || sample->count > kMostPoints)
      throw UsageError{
          fmt::format("the axes have {} combinations, and a sweep has at most {}; 'random: N seed S' "
                      "takes N of them",
                      product.size(), kMostPoints)};
    return rare_points(product, filter, *sample);
  }
  std::vector<Point> all = all_points(product, filter);
  if (all.empty()) throw UsageError{"the plan has no points: 'where' holds for none"};
  if (!sample || sample->count >= all.size()) return all;
  std::vector<Point> some;
  for (const std::size_t i : drawn(all.size(), sample->count, sample->seed)) some.push_back(all[i]);
  return some;
}

}  // namespace kbsim::sweep
