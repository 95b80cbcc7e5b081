#include "kbsim/sweep/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostSettings = 200'000;

// All settings, ordered by cost; a setting's rank is its place in this order.
class Ranking {
 public:
  explicit Ranking(const std::vector<SearchAxis>& axes) : axes_{axes}, order_(size_of(axes)) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    std::vector<double> costs;
    for (const std::uint32_t number : order_) costs.push_back(cost_of(axes_, decoded(number)));
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      return costs[a] != costs[b] ? costs[a] < costs[b] : a < b;
    });
  }
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] Point at(std::size_t rank) const { return decoded(order_[rank]); }

 private:
  [[nodiscard]] Point decoded(std::size_t number) const {
    Point point(axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0;) {
      point[i] = static_cast<std::uint32_t>(number % axes_[i].values.size());
      number /= axes_[i].values.size();
    }
    return point;
  }
  const std::vector<SearchAxis>& axes_;
  std::vector<std::uint32_t> order_;
};

// True if `a` is as cheap or cheaper in each key.
bool is_below(const Point& a, const Point& b) {
  return std::ranges::equal(a, b, [](std::uint32_t x, std::uint32_t y) { return x <= y; });
}

class Search {
 public:
  explicit Search(const SearchTask& task) : task_{task}, ranking_{task.axes} {}

  SearchResult run() {
    if (ranking_.size() <= task_.most) {
      in_order();
    } else {
      by_guesses();
    }
    if (best_ < ranking_.size()) {
      result_.best = ranking_.at(best_);
      result_.nearest.reset();
    }
    return std::move(result_);
  }

 private:
  void in_order() {
    std::size_t next = 0;
    while (next < ranking_.size() && best_ == ranking_.size()) {
      std::vector<std::size_t> ranks;
      while (ranks.size() < task_.at_a_time && next < ranking_.size()) ranks.push_back(next++);
      if (!simulate(ranks)) {
        result_.open = cheaper_and_unknown();
        if (result_.open > 0) return;
        break;
      }
    }
    result_.proof = Proof::simulated;
  }

  // Number of unknown settings that are cheaper than the best; of all unknown ones without a best.
  [[nodiscard]] std::size_t cheaper_and_unknown() const {
    const auto known = std::ranges::count_if(known_, [&](std::size_t rank) { return rank < best_; });
    return best_ - static_cast<std::size_t>(known);
  }

  void by_guesses() {
    for (std::size_t rank = 0; rank < ranking_.size(); ++rank)
      alive_.push_back({.rank = rank, .point = ranking_.at(rank)});
    bool going = simulate({0, ranking_.size() - 1});
    for (drop(); going && !alive_.empty() && result_.simulated.size() < task_.most; drop())
      going = simulate(guesses());
    result_.open = alive_.size();
    result_.proof = alive_.empty() ? Proof::monotone : Proof::open;
    result_.contradiction = contradiction();
  }

  // Looks only at the first simulated points if there are very many.
  [[nodiscard]] std::optional<std::pair<Point, Point>> contradiction() const {
    constexpr std::size_t kMost = 2000;
    const auto all = std::span{result_.simulated}.first(std::min(kMost, result_.simulated.size()));
    for (const auto& [dear, worse] : all) {
      for (const auto& [cheap, better] : all) {
        if (!worse || !better || !is_below(cheap, dear)) continue;
        if (task_.bound.at_least ? *worse < *better : *worse > *better) return std::pair{dear, cheap};
      }
    }
    return std::nullopt;
  }

  // False if a signal has ended it.
  bool simulate(const std::vector<std::size_t>& ranks) {
    std::vector<Point> points;
    for (const std::size_t rank : ranks) points.push_back(ranking_.at(rank));
    const std::vector<Probe> probes = task_.simulate(points);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (probes[i].ended) note(ranks[i], points[i], probes[i].number);
    }
    return std::ranges::all_of(probes, &Probe::ended);
  }

  void note(std::size_t rank, const Point& point, const std::optional<double>& number) {
    result_.simulated.emplace_back(point, number);
    known_.push_back(rank);
    if (!number) return;
    if (task_.bound.holds(*number)) {
      best_ = std::min(best_, rank);
      return;
    }
    failed_.push_back(point);
    if (task_.bound.miss(*number) < nearest_) {
      nearest_ = task_.bound.miss(*number);
      result_.nearest = point;
    }
  }

  struct Open {
    std::size_t rank;
    Point point;
  };

  // Drops settings that are dearer than the best, known, or below a setting that misses the bound.
  void drop() {
    const auto failed = std::span{failed_}.subspan(dropped_failed_);
    const auto known = std::span{known_}.subspan(dropped_known_);
    std::erase_if(alive_, [&](const Open& each) {
      return each.rank >= best_ || std::ranges::find(known, each.rank) != known.end() ||
             std::ranges::any_of(failed, [&](const Point& point) { return is_below(each.point, point); });
    });
    dropped_failed_ = failed_.size();
    dropped_known_ = known_.size();
  }

  static std::vector<Open> spread(const std::vector<Open>& all, std::size_t most) {
    std::vector<Open> some;
    const std::size_t n = std::min(all.size(), most);
    for (std::size_t i = 0; i < n; ++i) some.push_back(all[i * all.size() / n]);
    return some;
  }

  // Chooses the settings that are expected to settle most. A setting that meets the bound settles all dearer
  // ones; one that misses it settles all that are below it.
  std::vector<std::size_t> guesses() const {
    constexpr std::size_t kSample = 1000;
    std::vector<Open> open = spread(alive_, kSample);
    const std::size_t most = std::min(task_.at_a_time, task_.most - result_.simulated.size());
    std::vector<std::size_t> ranks;
    while (ranks.size() < most && !open.empty()) {
      const Open chosen = best_guess(open);
      ranks.push_back(chosen.rank);
      const bool meets = probability(chosen.point) > 0.5;
      std::erase_if(open, [&](const Open& each) {
        return each.rank == chosen.rank ||
               (meets ? each.rank > chosen.rank : is_below(each.point, chosen.point));
      });
    }
    return ranks;
  }

  [[nodiscard]] Open best_guess(const std::vector<Open>& open) const {
    constexpr std::size_t kTried = 200;
    const std::vector<Open> tried = spread(open, kTried);
    return *std::ranges::max_element(tried, {}, [&](const Open& each) { return settled(each, open); });
  }

  [[nodiscard]] double settled(const Open& guess, const std::vector<Open>& open) const {
    double dearer = 0.0;
    double below = 0.0;
    for (const Open& each : open) {
      dearer += each.rank >= guess.rank ? 1.0 : 0.0;
      below += is_below(each.point, guess.point) ? 1.0 : 0.0;
    }
    const double meets = probability(guess.point);
    return meets * dearer + (1.0 - meets) * below;
  }

  // Probability that a point meets the bound, from the nearest simulated point.
  [[nodiscard]] double probability(const Point& point) const {
    constexpr double kTrusted = 0.9;
    const std::pair<Point, std::optional<double>>* from = nullptr;
    for (const auto& each : result_.simulated) {
      if (each.second && (from == nullptr || distance(each.first, point) < distance(from->first, point)))
        from = &each;
    }
    if (from == nullptr || !task_.predict) return 0.5;
    return task_.bound.holds(task_.predict(from->first, point)) ? kTrusted : 1.0 - kTrusted;
  }

  [[nodiscard]] double distance(const Point& a, const Point& b) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) /
             static_cast<double>(task_.axes[i].values.size());
    return sum;
  }

  const SearchTask& task_;
  Ranking ranking_;
  std::size_t best_ = ranking_.size();  // the rank of the cheapest that meets the bound
  double nearest_ = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> known_;
  std::vector<Point> failed_;
  std::size_t dropped_known_ = 0;  // part of known_ that is removed from alive_
  std::size_t dropped_failed_ = 0;
  std::vector<Open> alive_;
  SearchResult result_;
};

}  // namespace

SearchAxis search_axis(std::string name, std::vector<double> values, double weight) {
  if (values.empty()) throw UsageError{fmt::format("{}: no values", name)};
  std::ranges::sort(values, {}, [&](double value) { return weight * value; });
  return {.name = std::move(name), .values = std::move(values), .weight = weight};
}

double Bound::miss(double number) const {
  if (holds(number)) return 0.0;
  return std::abs(number - value) / std::max(std::abs(value), 1e-300);
}

std::size_t size_of(const std::vector<SearchAxis>& axes) {
  std::size_t size = 1;
  for (const SearchAxis& axis : axes) {
    size *= axis.values.size();
    if (size > kMostSettings)
      throw UsageError{
          fmt::format("more than {} settings: take larger steps, as 256..1024+64 or 4..64*2", kMostSettings)};
  }
  return size;
}

double cost_of(const std::vector<SearchAxis>& axes, const Point& point) {
  double cost = 0.0;
  for (std::size_t i = 0; i < axes.size(); ++i) cost += axes[i].weight * axes[i].values[point[i]];
  return cost;
}

SearchResult search(const SearchTask& task) { return Search{task}.run(); }

}  // namespace kbsim::sweep
