#include "kbsim/report/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"

namespace kbsim::report {
namespace {

using Points = std::vector<const CorrelationPoint*>;
using OfSize = std::map<std::pair<std::string, double>, Points>;  // by other columns and size

// Points that can be ranked: sizes with at least two algorithms.
OfSize ranked_points(const Correlation& correlation) {
  OfSize all;
  for (const CorrelationPoint& point : correlation.points) {
    if (!point.algorithm.empty()) all[{point.others, point.size}].push_back(&point);
  }
  std::erase_if(all, [](const auto& entry) { return entry.second.size() < 2; });
  return all;
}

Points fastest_first(Points points, double CorrelationPoint::* time) {
  std::ranges::sort(points, [&](const CorrelationPoint* a, const CorrelationPoint* b) {
    return std::pair{a->*time, a->algorithm} < std::pair{b->*time, b->algorithm};
  });
  return points;
}

std::vector<std::string> names_of(const Points& points) {
  std::vector<std::string> names;
  for (const CorrelationPoint* point : points) names.push_back(point->algorithm);
  return names;
}

std::string text_of(const Points& sorted, double CorrelationPoint::* time) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) text += sorted[i - 1]->*time == sorted[i]->*time ? " = " : ", ";
    text += sorted[i]->algorithm;
  }
  return text;
}

bool have_same_winner(const Points& points) {
  const double simulated = (*std::ranges::min_element(points, {}, &CorrelationPoint::simulated))->simulated;
  const double reference = (*std::ranges::min_element(points, {}, &CorrelationPoint::reference))->reference;
  return std::ranges::any_of(points, [&](const CorrelationPoint* point) {
    return point->simulated == simulated && point->reference == reference;
  });
}

SizeRanking ranking_of(const std::string& of, double size, const Points& points) {
  const Points simulated = fastest_first(points, &CorrelationPoint::simulated);
  const Points reference = fastest_first(points, &CorrelationPoint::reference);
  return {.of = of,
          .size = size,
          .simulated = names_of(simulated),
          .reference = names_of(reference),
          .simulated_text = text_of(simulated, &CorrelationPoint::simulated),
          .reference_text = text_of(reference, &CorrelationPoint::reference),
          .same_winner = have_same_winner(points)};
}

void count_pair(const CorrelationPoint& a, const CorrelationPoint& b, Ranking& ranking) {
  const auto mine = a.simulated <=> b.simulated;
  const auto theirs = a.reference <=> b.reference;
  if (mine == 0 && theirs == 0) return;
  if (mine == 0) {
    ++ranking.tied_simulated;
  } else if (theirs == 0) {
    ++ranking.tied_reference;
  } else if (mine == theirs) {
    ++ranking.concordant;
  } else {
    ++ranking.discordant;
  }
}

void count_pairs(const Points& points, Ranking& ranking) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) count_pair(*points[i], *points[j], ranking);
  }
}

struct Gap {
  double size = 0.0;
  double simulated = 0.0;  // log of the ratio of the first's time to the second's
  double reference = 0.0;
};
using Pair = std::array<std::string, 3>;  // the other columns, the two algorithms

std::map<Pair, std::vector<Gap>> gaps_of(const OfSize& sizes) {
  std::map<Pair, std::vector<Gap>> all;
  for (const auto& [key, points] : sizes) {
    for (const CorrelationPoint* a : points) {
      for (const CorrelationPoint* b : points) {
        if (a->algorithm >= b->algorithm) continue;
        all[{key.first, a->algorithm, b->algorithm}].push_back(
            {.size = key.second,
             .simulated = std::log(a->simulated / b->simulated),
             .reference = std::log(a->reference / b->reference)});
      }
    }
  }
  return all;
}

std::vector<double> sign_changes(const std::vector<Gap>& gaps, double Gap::* gap) {
  std::vector<double> sizes;
  const Gap* before = nullptr;  // the last unequal one
  for (const Gap& at : gaps) {
    if (at.*gap == 0.0) continue;
    if (before != nullptr && (before->*gap < 0.0) != (at.*gap < 0.0)) {
      const double share = before->*gap / (before->*gap - at.*gap);
      sizes.push_back(before->size * std::pow(at.size / before->size, share));
    }
    before = &at;
  }
  return sizes;
}

std::string sizes_text(const std::vector<double>& sizes) {
  std::vector<std::string> texts;
  for (const double size : sizes) texts.push_back(fmt::format("{:.0f}", size));
  return texts.empty() ? "nowhere" : fmt::format("at {} B", fmt::join(texts, ", "));
}

}  // namespace

std::optional<double> Ranking::tau() const {
  const double ordered = concordant + discordant;
  const double simulated = ordered + tied_reference;  // pairs that differ on this side
  const double reference = ordered + tied_simulated;
  if (simulated == 0.0 || reference == 0.0) return std::nullopt;
  return (concordant - discordant) / std::sqrt(simulated * reference);
}

int Ranking::equal_winners() const {
  return static_cast<int>(std::ranges::count_if(sizes, &SizeRanking::same_winner));
}

Ranking rank(const Correlation& correlation) {
  const OfSize all = ranked_points(correlation);
  Ranking ranking;
  for (const auto& [key, points] : all) {
    ranking.sizes.push_back(ranking_of(key.first, key.second, points));
    count_pairs(points, ranking);
  }
  for (const auto& [pair, gaps] : gaps_of(all)) {
    Crossovers found{.of = pair[0],
                     .first = pair[1],
                     .second = pair[2],
                     .simulated = sign_changes(gaps, &Gap::simulated),
                     .reference = sign_changes(gaps, &Gap::reference)};
    if (!found.simulated.empty() || !found.reference.empty()) ranking.crossovers.push_back(std::move(found));
  }
  return ranking;
}

std::string to_text(const Ranking& ranking) {
  std::string text = " algorithms by size, fastest first\n";
  for (const SizeRanking& at : ranking.sizes) {
    const bool equal = at.simulated_text == at.reference_text;
    text += fmt::format("  {:>12.0f} B{}{}  {}", at.size, at.of.empty() ? "" : " ", at.of, at.simulated_text);
    text += equal ? "\n" : fmt::format("  (reference: {})\n", at.reference_text);
  }
  const std::optional<double> tau = ranking.tau();
  text += fmt::format(" rank correlation (Kendall's tau-b) {}; the fastest is the same at {} of {}\n",
                      tau ? fmt::format("{:.3f}", *tau) : "isn't defined: one side has equal times alone",
                      ranking.equal_winners(), counted(ranking.sizes.size(), "size"));
  for (const Crossovers& at : ranking.crossovers)
    text += fmt::format(" {} and {} cross over {} (reference: {})\n", at.first, at.second,
                        sizes_text(at.simulated), sizes_text(at.reference));
  return text;
}

boost::json::object to_json(const Ranking& ranking) {
  boost::json::array sizes;
  for (const SizeRanking& at : ranking.sizes)
    sizes.push_back({{"of", at.of},
                     {"size", at.size},
                     {"simulated", boost::json::array(at.simulated.begin(), at.simulated.end())},
                     {"reference", boost::json::array(at.reference.begin(), at.reference.end())}});
  boost::json::array crossovers;
  for (const Crossovers& at : ranking.crossovers)
    crossovers.push_back({{"of", at.of},
                          {"first", at.first},
                          {"second", at.second},
                          {"simulated", boost::json::array(at.simulated.begin(), at.simulated.end())},
                          {"reference", boost::json::array(at.reference.begin(), at.reference.end())}});
  const std::optional<double> tau = ranking.tau();
  return {{"sizes", std::move(sizes)},
          {"crossovers", std::move(crossovers)},
          {"kendall_tau", tau ? boost::json::value(*tau) : boost::json::value(nullptr)},
          {"equal_winners", ranking.equal_winners()}};
}

}  // namespace kbsim::report
