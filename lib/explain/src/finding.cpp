// Registry of findings, their order, and their document.
#include "kbsim/explain/finding.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

namespace kbsim::explain {
namespace {

constexpr double kWorthFinding = 0.005;  // of the path's length

void sort_by_gain(std::vector<Finding>& findings) {
  std::ranges::sort(findings, {}, [](const Finding& one) { return std::pair{-one.gain, one.id}; });
}

}  // namespace

Registry<FindingKind>& finding_kinds() {
  static Registry<FindingKind> all{"finding"};
  return all;
}

bool register_finding(std::string name, FindingKind kind, const char& /*abi*/) noexcept {
  (void)finding_kinds().offer(std::move(name), std::move(kind));
  return true;
}

std::vector<Finding> findings_in(const FindingScene& scene) {
  const Time length = scene.what.path.length();
  std::vector<Finding> all;
  if (length == Time{0}) return all;
  for (const auto& [id, kind] : finding_kinds().entries()) {
    std::optional<Finding> found = kind.look(scene);
    if (!found) continue;
    found->id = id;
    found->title = kind.title;
    found->of_ranks = kind.of_ranks;
    found->share = static_cast<double>(found->gain.count()) / static_cast<double>(length.count());
    if (found->share >= kWorthFinding) all.push_back(*std::move(found));
  }
  sort_by_gain(all);
  return all;
}

void settle(std::vector<Finding>& findings, const std::vector<Advice>& advice) {
  for (Finding& finding : findings) {
    for (const Advice& one : advice) {
      const bool same = !finding.key.empty() && one.change.key == finding.key && one.simulated;
      if (!same || (finding.simulated && one.gain <= finding.gain)) continue;
      finding.gain = one.gain;
      finding.share = one.share;
      finding.simulated = true;
    }
  }
  sort_by_gain(findings);
}

boost::json::array to_json(const std::vector<Finding>& findings) {
  boost::json::array rows;
  for (const Finding& one : findings)
    rows.emplace_back(boost::json::object{
        {"id", one.id},
        {"title", one.title},
        {"gain_ps", one.gain.count()},
        {"share", one.share},
        {"simulated", one.simulated},
        {"evidence", one.evidence},
        {"place", one.place},
        {"of_ranks", one.of_ranks},
        {"key", one.key.empty() ? boost::json::value(nullptr) : boost::json::value(one.key)}});
  return rows;
}

std::vector<Finding> findings_read(const boost::json::array& rows) {
  std::vector<Finding> all;
  const auto text = [](const boost::json::value& value) { return std::string{value.as_string()}; };
  for (const boost::json::value& row : rows)
    all.push_back({.id = text(row.at("id")),
                   .title = text(row.at("title")),
                   .gain = Time{row.at("gain_ps").to_number<std::int64_t>()},
                   .share = row.at("share").to_number<double>(),
                   .simulated = row.at("simulated").as_bool(),
                   .evidence = text(row.at("evidence")),
                   .place = text(row.at("place")),
                   .key = row.at("key").is_null() ? "" : text(row.at("key")),
                   .of_ranks = row.at("of_ranks").as_bool()});
  return all;
}

}  // namespace kbsim::explain
