// Comparison of two explanations.
#include "kbsim/explain/difference.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/wrap.hpp"

namespace kbsim::explain {
namespace {

// Identifies a launch independently of other launches before it.
using LaunchId = std::tuple<std::string, int, int>;  // kernel, rank, number among those

std::map<LaunchId, const PathRecord*> by_id(const std::vector<PathRecord>& paths) {
  std::map<LaunchId, const PathRecord*> all;
  std::map<std::pair<std::string, int>, int> launches;
  for (const PathRecord& path : paths) {
    const int number = ++launches[{path.kernel, path.rank}];
    all[{path.kernel, path.rank, number}] = &path;
  }
  return all;
}

enum class Kind { run, collective, launch };

Kind kind_of(const PathRecord& path) {
  if (path.kernel.empty()) return Kind::run;
  return path.rank == kAllRanks ? Kind::collective : Kind::launch;
}

// Adds the ids of one kind that `all` lacks.
void add_ids(const std::vector<PathRecord>& paths, Kind kind, std::vector<LaunchId>& all) {
  std::map<std::pair<std::string, int>, int> launches;
  for (const PathRecord& path : paths) {
    if (kind_of(path) != kind) continue;
    LaunchId id{path.kernel, path.rank, ++launches[{path.kernel, path.rank}]};
    if (std::ranges::find(all, id) == all.end()) all.push_back(std::move(id));
  }
}

// The ids of both, kind by kind: those of the first in its order, then those of the second alone.
std::vector<LaunchId> ids_of(const std::vector<PathRecord>& was, const std::vector<PathRecord>& is) {
  std::vector<LaunchId> all;
  for (const Kind kind : {Kind::run, Kind::collective, Kind::launch}) {
    add_ids(was, kind, all);
    add_ids(is, kind, all);
  }
  return all;
}

std::string name_of(const LaunchId& id) {
  const auto& [kernel, rank, number] = id;
  if (kernel.empty()) return "the run";
  if (rank == kAllRanks) return fmt::format("collective {} of {}", number, kernel);
  return fmt::format("launch {} of {} on rank {}", number, kernel, rank);
}

Times key_times(const std::vector<Derivative>& keys) {
  Times all;
  for (const Derivative& key : keys) all[key.key] += key.time;
  return all;
}

// Empty unless both sides have the list: operations, or sums of segments. A side without a path has none.
std::vector<TimeChange> changes_of_both(const std::optional<Times>& was, const std::optional<Times>& is) {
  return was && is ? changes(*was, *is) : std::vector<TimeChange>{};
}

PathChange change_of(const LaunchId& id, const PathRecord* was, const PathRecord* is) {
  const PathRecord none{.spots = Times{}};
  const PathRecord& a = was == nullptr ? none : *was;
  const PathRecord& b = is == nullptr ? none : *is;
  return {.of = name_of(id),
          .was = was,
          .is = is,
          .spots = changes_of_both(a.spots, b.spots),
          .reasons = changes(a.reasons, b.reasons),
          .waits = changes(a.waits, b.waits),
          .places = changes(a.places, b.places),
          .lines = changes(a.lines, b.lines),
          .ops = changes_of_both(a.ops, b.ops),
          .keys = changes(key_times(a.keys), key_times(b.keys))};
}

double percent_of(Time part, Time all) {
  return all > Time{0} ? 100.0 * static_cast<double>(part.count()) / static_cast<double>(all.count()) : 0.0;
}

std::string signed_text(Time change) {
  return (change < Time{0} ? "-" : "+") + to_string(change < Time{0} ? -change : change);
}

// A name that leaves no room for the times has a line of its own.
std::string change_row(std::string_view name, const std::string& was, const std::string& is,
                       const std::string& change) {
  constexpr std::size_t kName = 34;
  const std::string times = fmt::format(" {:>13} {:>13} {:>13}\n", was, is, change);
  if (name.size() <= kName) return fmt::format("    {:<{}}{}", name, kName, times);
  return fmt::format("    {}\n    {:<{}}{}", name, "", kName, times);
}

std::string change_rows(std::string_view title, const std::vector<TimeChange>& all, std::size_t most) {
  if (all.empty()) return "";
  std::string text = fmt::format("  {}\n", title);
  for (const TimeChange& row : std::span{all}.first(std::min(most, all.size())))
    text += change_row(row.name, to_string(row.was), to_string(row.is), signed_text(row.change()));
  if (all.size() > most) text += fmt::format("    and {} more: see --json\n", all.size() - most);
  return text;
}

std::string head_of(const PathChange& change) {
  if (change.was == nullptr)
    return fmt::format("{}: only in B, {}\n", change.of, to_string(change.is->length));
  if (change.is == nullptr)
    return fmt::format("{}: only in A, {}\n", change.of, to_string(change.was->length));
  const Time longer = change.is->length - change.was->length;
  return fmt::format("{}: {} in A, {} in B, {} ({:+.2f} %); limited by {}, {}\n", change.of,
                     to_string(change.was->length), to_string(change.is->length), signed_text(longer),
                     percent_of(longer, change.was->length), change.was->limited_by, change.is->limited_by);
}

std::string path_text(const PathChange& change) {
  constexpr std::size_t kMost = 8;
  std::string text = wrapped("critical path of " + head_of(change), 2);
  if (change.was == nullptr || change.is == nullptr) return text;
  text += change_rows("what got slower first                           A             B        change",
                      change.spots, kMost);
  text += change_rows("by reason", change.reasons, kMost);
  text += change_rows("waits, within the same time", change.waits, kMost);
  text += change_rows("by line of a kernel", change.lines, kMost);
  text += change_rows("by operation of the op log", change.ops, kMost);
  return text + change_rows("by key", change.keys, kMost);
}

boost::json::array json_of(const std::vector<TimeChange>& all) {
  boost::json::array rows;
  for (const TimeChange& row : all)
    rows.push_back(
        boost::json::object{{"name", row.name}, {"was_ps", row.was.count()}, {"is_ps", row.is.count()}});
  return rows;
}

boost::json::value length_of(const PathRecord* path) {
  return path == nullptr ? boost::json::value(nullptr) : boost::json::value(path->length.count());
}

}  // namespace

std::vector<TimeChange> changes(const Times& was, const Times& is) {
  std::map<std::string, TimeChange> by_name;
  for (const auto& [name, time] : was) by_name[name].was = time;
  for (const auto& [name, time] : is) by_name[name].is = time;
  std::vector<TimeChange> all;
  for (auto& [name, change] : by_name) {
    change.name = name;
    if (change.was != change.is) all.push_back(change);
  }
  std::ranges::sort(all, [](const TimeChange& a, const TimeChange& b) {
    return a.change() != b.change() ? a.change() > b.change() : a.name < b.name;
  });
  return all;
}

std::string share_changes(const PathRecord& was, const PathRecord& is, std::size_t most) {
  std::vector<std::pair<double, std::string>> moved;
  Times names = was.reasons;
  names.insert(is.reasons.begin(), is.reasons.end());
  const auto share = [](const PathRecord& path, const std::string& name) {
    const auto found = path.reasons.find(name);
    return found == path.reasons.end() ? 0.0 : percent_of(found->second, path.length);
  };
  for (const auto& [name, ignored] : names) {
    const double before = share(was, name);
    const double after = share(is, name);
    if (std::abs(after - before) >= 1.0)
      moved.emplace_back(std::abs(after - before), fmt::format("{} {:.0f} -> {:.0f} %", name, before, after));
  }
  std::ranges::sort(moved, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  moved.resize(std::min(most, moved.size()));
  std::vector<std::string> texts;
  for (const auto& [distance, text] : moved) texts.push_back(text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

bool PathChange::same() const {
  return was != nullptr && is != nullptr && was->length == is->length && spots.empty() && reasons.empty() &&
         waits.empty() && places.empty() && lines.empty() && ops.empty() && keys.empty();
}

std::vector<PathChange> path_changes(const std::vector<PathRecord>& was, const std::vector<PathRecord>& is) {
  const std::map<LaunchId, const PathRecord*> before = by_id(was);
  const std::map<LaunchId, const PathRecord*> after = by_id(is);
  std::vector<PathChange> all;
  const auto found = [](const auto& paths, const LaunchId& id) {
    const auto at = paths.find(id);
    return at == paths.end() ? nullptr : at->second;
  };
  for (const LaunchId& id : ids_of(was, is)) {
    PathChange change = change_of(id, found(before, id), found(after, id));
    if (!change.same()) all.push_back(std::move(change));
  }
  return all;
}

std::string to_text(const std::vector<PathChange>& changes) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (const PathChange& change : std::span{changes}.first(std::min(kMost, changes.size())))
    text += path_text(change);
  if (changes.size() > kMost)
    text += fmt::format("and {}: see --json\n", counted(changes.size() - kMost, "more path"));
  return text;
}

boost::json::object to_json(const PathChange& change) {
  return {{"of", change.of},
          {"was_ps", length_of(change.was)},
          {"is_ps", length_of(change.is)},
          {"slower_first", json_of(change.spots)},
          {"reasons", json_of(change.reasons)},
          {"waits", json_of(change.waits)},
          {"places", json_of(change.places)},
          {"lines", json_of(change.lines)},
          {"ops", json_of(change.ops)},
          {"keys", json_of(change.keys)}};
}

}  // namespace kbsim::explain
