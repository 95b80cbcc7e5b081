#include "kbsim/sweep/enough.hpp"

#include <algorithm>
#include <limits>

namespace kbsim::sweep {
namespace {

class Halving {
 public:
  Halving(std::int64_t most, const std::function<std::optional<EnoughTrial>(std::int64_t)>& run)
      : most_{most}, run_{run} {}

  Enough find() {
    for (std::int64_t n = 1; n <= most_ && goes_on_at(n); n *= 2) found_.largest = n;
    if (stopped_) return found_;
    found_.fewest = first([](const EnoughTrial& trial) { return trial.end == EnoughTrial::End::ran; });
    // A halved step may hold a better number than all known ones.
    for (double best = 0.0; !stopped_ && found_.fewest && best != best_number();) {
      best = best_number();
      found_.enough = first([best](const EnoughTrial& trial) {
        return trial.end == EnoughTrial::End::ran && trial.number <= best;
      });
    }
    if (stopped_) found_.enough.reset();
    return found_;
  }

 private:
  // False if there is no room for n.
  bool goes_on_at(std::int64_t n) {
    const EnoughTrial* trial = tried(n);
    return trial != nullptr && trial->end != EnoughTrial::End::refused;
  }

  const EnoughTrial* tried(std::int64_t n) {
    const auto known = found_.tried.find(n);
    if (known != found_.tried.end()) return &known->second;
    const std::optional<EnoughTrial> trial = stopped_ ? std::nullopt : run_(n);
    stopped_ = !trial.has_value();
    return trial ? &(found_.tried[n] = *trial) : nullptr;
  }

  [[nodiscard]] double best_number() const {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [n, trial] : found_.tried) {
      if (trial.end == EnoughTrial::End::ran) best = std::min(best, trial.number);
    }
    return best;
  }

  // The least number that `holds` accepts, if it accepts all greater ones.
  std::optional<std::int64_t> first(const auto& holds) {
    std::int64_t no = 0;
    std::int64_t yes = 0;
    for (const auto& [n, trial] : found_.tried) {
      if (trial.end == EnoughTrial::End::refused) continue;
      if (yes == 0 && holds(trial)) yes = n;
      if (yes == 0) no = n;
    }
    if (yes == 0) return std::nullopt;
    while (yes - no > 1) {
      const std::int64_t middle = no + (yes - no) / 2;
      const EnoughTrial* trial = tried(middle);
      if (trial == nullptr) return std::nullopt;
      (holds(*trial) ? yes : no) = middle;
    }
    return yes;
  }

  std::int64_t most_;
  const std::function<std::optional<EnoughTrial>(std::int64_t)>& run_;
  Enough found_;
  bool stopped_ = false;
};

}  // namespace

std::optional<std::int64_t> Enough::fewest_so_far() const {
  const auto ran =
      std::ranges::find_if(tried, [](const auto& each) { return each.second.end == EnoughTrial::End::ran; });
  return ran == tried.end() ? std::nullopt : std::optional{ran->first};
}

bool Enough::contradicts() const {
  const EnoughTrial* before = nullptr;
  for (const auto& [n, trial] : tried) {
    if (trial.end == EnoughTrial::End::refused) continue;
    if (before != nullptr && before->end == EnoughTrial::End::ran &&
        (trial.end == EnoughTrial::End::stuck || trial.number > before->number))
      return true;
    before = &trial;
  }
  return false;
}

Enough find_enough(std::int64_t most, const std::function<std::optional<EnoughTrial>(std::int64_t)>& run) {
  return Halving{most, run}.find();
}

}  // namespace kbsim::sweep
