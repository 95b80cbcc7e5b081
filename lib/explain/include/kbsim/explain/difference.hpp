#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "kbsim/explain/explanation.hpp"

namespace kbsim::explain {

using Times = std::map<std::string, Time>;  // by name

/// A path as explain.json records it.
struct PathRecord {
  std::string of;
  std::string kernel = {};  // of a launch or a collective; "" for the run
  int rank = 0;             // of a launch; kAllRanks of a collective
  Time length{};
  std::string limited_by = {};
  Times reasons = {};
  Times waits = {};
  Times places = {};
  Times lines = {};
  std::optional<Times> spots = {};  // reason, place and kernel line together; none without segments
  std::optional<Times> ops = {};    // by id and call; none of a run that doesn't record operations
  std::vector<Derivative> keys = {};
};
/// The paths of the run and of its launches. UsageError naming `source` if this is no such document.
[[nodiscard]] std::vector<PathRecord> paths_in(const boost::json::value& explanation,
                                               const std::string& source);

/// A time in two paths.
struct TimeChange {
  std::string name;
  Time was{};
  Time is{};
  [[nodiscard]] Time change() const { return is - was; }
};
/// The differences, greatest increase first.
[[nodiscard]] std::vector<TimeChange> changes(const Times& was, const Times& is);
/// "overhead 82 -> 70 %, busy link 5 -> 16 %": the shares of reasons that moved most. "" if none moved by a
/// percent.
[[nodiscard]] std::string share_changes(const PathRecord& was, const PathRecord& is, std::size_t most);

/// How two paths differ; either may be missing.
struct PathChange {
  std::string of;  // "the run", "launch 2 of matmul on rank 0"
  const PathRecord* was = nullptr;
  const PathRecord* is = nullptr;
  std::vector<TimeChange> spots = {};
  std::vector<TimeChange> reasons = {};
  std::vector<TimeChange> waits = {};
  std::vector<TimeChange> places = {};
  std::vector<TimeChange> lines = {};
  std::vector<TimeChange> ops = {};   // if both record them
  std::vector<TimeChange> keys = {};  // the time that their terms take

  [[nodiscard]] bool same() const;
};
/// Compares the run with the run, the n-th collective of a kernel with the n-th, then the n-th launch of a
/// kernel on a rank with the n-th. Operations are matched by id. Equal paths are left out. The result points
/// into `was` and `is`, which must outlive it.
[[nodiscard]] std::vector<PathChange> path_changes(const std::vector<PathRecord>& was,
                                                   const std::vector<PathRecord>& is);

/// Tables, greatest increase first; "" if there are no changes.
[[nodiscard]] std::string to_text(const std::vector<PathChange>& changes);
[[nodiscard]] boost::json::object to_json(const PathChange& change);

}  // namespace kbsim::explain
