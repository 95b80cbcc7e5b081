#include "kbsim/report/ranking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbsim::report {
namespace {

using Points = std::vector<const CorrelationPoint*>;
using OfSize = std::map<std::pair<std::string, double>, Points>;  // by other columns and size

// Points that can be ranked: of sizes with two algorithms or more.
OfSize ranked_points(const Correlation& correlation) {
  OfSize all;
  for (const CorrelationPoint& point : correlation.points) {
    if (!point.algorithm.empty()) all[{point.others, point.size}].push_back(&point);
  }
  std::erase_if(all, [](const auto& entry) { return entry.second.size() < 2; });
  return all;
}

std::vector<std::string> fastest_first(Points points, double CorrelationPoint::* time) {
  std::ranges::sort(points, [&](const CorrelationPoint* a, const CorrelationPoint* b) {
    return std::pair{a->*time, a->algorithm} < std::pair{b->*time, b->algorithm};
  });
  std::vector<std::string> names;
  for (const CorrelationPoint* point : points) names.push_back(point->algorithm);
  return names;
}

void count_pairs(const Points& points, Ranking& ranking) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double mine = points[i]->simulated - points[j]->simulated;
      const double theirs = points[i]->reference - points[j]->reference;
      if (mine * theirs > 0.0) ++ranking.concordant;
      if (mine * theirs < 0.0) ++ranking.discordant;
    }
  }
}

struct Gap {
  double size = 0.0;
  double simulated = 0.0;  // log of the first's time over the second's
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
  const Gap* before = nullptr;  // the last that wasn't equal
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

double Ranking::tau() const {
  const int pairs = concordant + discordant;
  return pairs == 0 ? 1.0 : static_cast<double>(concordant - discordant) / pairs;
}

int Ranking::equal_winners() const {
  return static_cast<int>(std::ranges::count_if(
      sizes, [](const SizeRanking& at) { return at.simulated.front() == at.reference.front(); }));
}

Ranking rank(const Correlation& correlation) {
  const OfSize all = ranked_points(correlation);
  Ranking ranking;
  for (const auto& [key, points] : all) {
    ranking.sizes.push_back({.of = key.first,
                             .size = key.second,
                             .simulated = fastest_first(points, &CorrelationPoint::simulated),
                             .reference = fastest_first(points, &CorrelationPoint::reference)});
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
    const bool equal = at.simulated == at.reference;
    text += fmt::format("  {:>12.0f} B{}{}  {}", at.size, at.of.empty() ? "" : " ", at.of,
                        fmt::join(at.simulated, ", "));
    text += equal ? "\n" : fmt::format("  (reference: {})\n", fmt::join(at.reference, ", "));
  }
  text += fmt::format(" rank correlation (Kendall's tau) {:.3f}; the fastest is the same at {} of {} sizes\n",
                      ranking.tau(), ranking.equal_winners(), ranking.sizes.size());
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
  return {{"sizes", std::move(sizes)},
          {"crossovers", std::move(crossovers)},
          {"kendall_tau", ranking.tau()},
          {"equal_winners", ranking.equal_winners()}};
}

}  // namespace kbsim::report
