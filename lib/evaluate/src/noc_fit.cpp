#include "kbsim/evaluate/noc_fit.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

namespace kbsim::evaluate {
namespace {

class CoordinateSearch {
 public:
  explicit CoordinateSearch(const std::function<double(const std::vector<double>&)>& cost) : cost_{cost} {
    for (const NocConstant& constant : noc_constants()) steps_.push_back(constant.step);
  }

  NocFit run(int rounds) {
    best_ = noc_defaults();
    least_ = cost_of(best_);
    for (int round = 0; round < rounds; ++round) {
      const double before = least_;
      for (std::size_t i = 0; i < steps_.size(); ++i) along(i);
      if (least_ == before) halve();
    }
    return {.values = best_, .cost = least_, .tried = static_cast<int>(known_.size())};
  }

 private:
  double cost_of(const std::vector<double>& values) {
    const auto found = known_.find(values);
    if (found != known_.end()) return found->second;
    return known_.emplace(values, cost_(values)).first->second;
  }

  bool step(std::size_t i, double by) {
    const NocConstant& constant = noc_constants()[i];
    std::vector<double> next = best_;
    next[i] = std::clamp(next[i] + by, constant.least, constant.most);
    if (next[i] == best_[i]) return false;
    const double cost = cost_of(next);
    if (cost >= least_) return false;
    best_ = next;
    least_ = cost;
    return true;
  }

  void along(std::size_t i) {
    for (const double times : {4.0, 2.0, 1.0}) {  // a plateau may be wider than a step
      walk(i, times * steps_[i]);
    }
  }

  void walk(std::size_t i, double by) {
    const double way = step(i, by) ? by : -by;
    while (step(i, way)) {}
  }

  void halve() {
    for (double& step : steps_) step /= 2.0;
  }

  const std::function<double(const std::vector<double>&)>& cost_;
  std::vector<double> steps_;
  std::vector<double> best_;
  double least_ = 0.0;
  std::map<std::vector<double>, double> known_;
};

}  // namespace

const std::vector<NocConstant>& noc_constants() {
  static const std::vector<NocConstant> all = [] {
    const config::NocToriSpec spec;
    return std::vector<NocConstant>{{"hop_ns", to_ns(spec.hop), 2.0, 0.0, 40.0},
                                    {"niu_ns", to_ns(spec.niu), 10.0, 0.0, 200.0},
                                    {"dram.injection_gbs", spec.dram.injection.gbs(), 1.0, 12.0, 32.0},
                                    {"dram.latency_ns", to_ns(spec.dram.latency), 40.0, 0.0, 1000.0}};
  }();
  return all;
}

std::vector<double> noc_defaults() {
  std::vector<double> all;
  for (const NocConstant& constant : noc_constants()) all.push_back(constant.start);
  return all;
}

config::Overrides noc_overrides(const std::vector<double>& values) {
  config::Overrides all;
  for (const auto& [constant, value] : ranges::views::zip(noc_constants(), values))
    all.push_back(fmt::format("{}={}", constant.key, value));
  return all;
}

NocFit fit_noc(const std::function<double(const std::vector<double>&)>& cost, int rounds) {
  return CoordinateSearch{cost}.run(rounds);
}

}  // namespace kbsim::evaluate
