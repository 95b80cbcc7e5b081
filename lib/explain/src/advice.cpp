// Changes that shorten a run, and what they are worth.
#include "kbsim/explain/advice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace kbsim::explain {
namespace {

constexpr double kWorthSaying = 0.005;  // of the measured time
constexpr std::size_t kMostAdvice = 3;

}  // namespace

std::string Candidate::setting() const { return fmt::format("{}={:.12g}", key, to); }

std::vector<Advice> best_of(std::vector<Advice> all) {
  constexpr double kMore = 0.01;
  std::erase_if(all, [](const Advice& advice) { return advice.share < kWorthSaying; });
  std::ranges::sort(all, {}, [](const Advice& advice) {
    return std::pair{advice.change.key, std::abs(advice.change.to - advice.change.value)};
  });
  std::vector<Advice> best;
  for (Advice& advice : all) {
    const bool same = !best.empty() && best.back().change.key == advice.change.key;
    if (!same) {
      best.push_back(std::move(advice));
    } else if (advice.share >= best.back().share + kMore) {
      best.back() = std::move(advice);
    }
  }
  std::ranges::sort(best, {}, [](const Advice& one) { return std::pair{-one.share, one.change.key}; });
  best.resize(std::min(best.size(), kMostAdvice));
  return best;
}

std::string to_text(const std::vector<Advice>& all) {
  std::string text;
  for (const Advice& advice : all)
    text += fmt::format("  try  {:<48} {:5.1f} % less, {}\n", advice.change.setting(), 100.0 * advice.share,
                        advice.simulated ? "simulated" : "estimated");
  return text;
}

boost::json::array to_json(const std::vector<Candidate>& all) {
  boost::json::array rows;
  for (const Candidate& one : all)
    rows.emplace_back(boost::json::object{
        {"key", one.key}, {"value", one.value}, {"to", one.to}, {"estimated_ps", one.estimated.count()}});
  return rows;
}

std::vector<Candidate> candidates_in(const boost::json::array& all) {
  std::vector<Candidate> candidates;
  for (const boost::json::value& one : all)
    candidates.push_back({.key = std::string{one.at("key").as_string()},
                          .value = one.at("value").to_number<double>(),
                          .to = one.at("to").to_number<double>(),
                          .estimated = Time{one.at("estimated_ps").to_number<std::int64_t>()}});
  return candidates;
}

boost::json::array to_json(const std::vector<Advice>& all) {
  boost::json::array rows;
  for (const Advice& advice : all)
    rows.emplace_back(boost::json::object{{"key", advice.change.key},
                                          {"value", advice.change.value},
                                          {"to", advice.change.to},
                                          {"gain_ps", advice.gain.count()},
                                          {"share", advice.share},
                                          {"simulated", advice.simulated},
                                          {"command", advice.command}});
  return rows;
}

}  // namespace kbsim::explain
