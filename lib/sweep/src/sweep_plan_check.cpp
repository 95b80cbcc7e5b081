// Finds all mistakes of a draft.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/names.hpp"

#include "sweep_plan_draft.hpp"
#include "sweep_words.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostAxes = 64;

// Options that a sweep gives its points itself.
constexpr std::array<std::string_view, 25> kSweepOptions{"--out",
                                                         "--json",
                                                         "--quiet",
                                                         "--reuse",
                                                         "--dry-run",
                                                         "--oplog",
                                                         "--num-threads",
                                                         "--help",
                                                         "--verbose",
                                                         "--reference",
                                                         "--trace",
                                                         "--trace-dir",
                                                         "--chakra",
                                                         "--trace-unit",
                                                         "--trace-window",
                                                         "--trace-units",
                                                         "--trace-packets",
                                                         "--trace-limit",
                                                         "--explain",
                                                         "--profile-self",
                                                         "--parallel-bound",
                                                         "--dump-queues",
                                                         "--output_file",
                                                         "-J",
                                                         "-h"};

std::vector<std::string> names_of(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

class Checker {
 public:
  explicit Checker(const Draft& draft) : draft_{draft}, problems_{draft.problems} {}

  std::vector<AxisGroup> groups() {
    const std::vector<std::string> names = names_of(draft_.axes);
    std::vector<std::size_t> group_of(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) group_of[i] = i;
    for (const Placed& zip : draft_.zips) join(zip, names, group_of);
    std::vector<AxisGroup> groups(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) groups[group_of[i]].push_back(i);
    std::erase_if(groups, &AxisGroup::empty);
    return groups;
  }

  std::vector<Condition> conditions() {
    std::vector<Condition> all;
    for (const Placed& where : draft_.where)
      attempt(where.at, "where", [&] { all.emplace_back(where.text, names_of(draft_.axes)); });
    return all;
  }

  void names() {
    std::set<std::string> seen;
    for (const Axis& axis : draft_.axes) {
      if (!seen.insert(axis.name).second) add(axis.at, axis.name, "is an axis already");
      if (axis.values.empty()) add(axis.at, axis.name, "has no values");
    }
    const Place plan{.file = draft_.file.empty() ? "kbsim sweep" : draft_.file};
    if (draft_.axes.size() > kMostAxes) add(plan, "axes", fmt::format("more than {} of them", kMostAxes));
    if (draft_.bench.empty())
      add(plan, "bench", "is missing, in the plan or as --bench NAME; see kbsim list");
  }

  std::optional<Sample> sample() {
    std::optional<Sample> sample;
    if (draft_.random) attempt(draft_.random->at, "random", [&] { sample = sample_in(draft_.random->text); });
    return sample;
  }

  // Reports each mistake once, however many values of an axis have it.
  void add(Place at, std::string key, std::string text) {
    if (!reported_.insert(to_string(at) + key + text).second) return;
    problems_.push_back({std::move(at), std::move(key), std::move(text)});
  }
  // Each setting and option is given once, and none that a sweep gives itself.
  void words() {
    std::map<std::string, std::string> owners;
    look_at(draft_.words, {.file = "arguments"}, "the sweep itself", owners);
    for (const Axis& axis : draft_.axes) {
      std::map<std::string, std::string> of_axis;
      for (const AxisValue& value : axis.values) {
        std::map<std::string, std::string> of_value = owners;
        look_at(value.words, axis.at, axis.name, of_value);
        of_axis.merge(of_value);
      }
      owners.merge(of_axis);
    }
  }
  void throw_if_any() {
    if (!problems_.empty()) throw ConfigError{std::move(problems_)};
  }

 private:
  void look_at(const std::vector<std::string>& words, const Place& at, const std::string& owner,
               std::map<std::string, std::string>& owners) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool set = words[i] == "--set" && i + 1 < words.size();
      const std::string& word = set ? words[++i] : words[i];
      const std::string subject = word.substr(0, word.find('='));
      if (std::ranges::find(kSweepOptions, subject) != kSweepOptions.end())
        add(at, subject, "has no place in a sweep, whose points leave their results in its --out alone");
      if ((!set && !word.starts_with("--")) || subject == "--plugin") continue;
      if (const auto [known, fresh] = owners.emplace(subject, owner); !fresh)
        add(at, subject, fmt::format("is set twice, by {} and by {}", known->second, owner));
    }
  }
  void attempt(const Place& at, const char* key, const auto& what) {
    try {
      what();
    } catch (const UsageError& error) {
      add(at, key, error.what());
    }
  }

  void join(const Placed& zip, const std::vector<std::string>& names, std::vector<std::size_t>& group_of) {
    std::optional<std::size_t> first;
    const std::vector<std::string_view> parts = split(zip.text);
    if (parts.size() == 1)
      add(zip.at, "zip", fmt::format("'{}': expected two axes or more, as A,B", parts.front()));
    for (const std::string_view part : parts) {
      const auto found = std::ranges::find(names, part);
      if (found == names.end()) {
        add(zip.at, "zip", fmt::format("no axis is called '{}'{}", part, name_hint(part, names)));
        continue;
      }
      const auto i = static_cast<std::size_t>(found - names.begin());
      if (!first) first = i;
      if (!zipped_.insert(i).second) add(zip.at, "zip", fmt::format("'{}' is in another zip already", part));
      if (draft_.axes[i].values.size() != draft_.axes[*first].values.size())
        add(zip.at, "zip",
            fmt::format("'{}' has {}, and '{}' has {}", part, counted(draft_.axes[i].values.size(), "value"),
                        names[*first], draft_.axes[*first].values.size()));
      group_of[i] = group_of[*first];
    }
  }

  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      parts.push_back(trimmed(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return parts;
  }

  const Draft& draft_;
  std::vector<ConfigProblem> problems_;
  std::set<std::size_t> zipped_;  // axes
  std::set<std::string> reported_;
};

}  // namespace

CheckedDraft checked(const Draft& draft) {
  Checker checker{draft};
  checker.names();
  CheckedDraft found{
      .groups = checker.groups(), .conditions = checker.conditions(), .sample = checker.sample()};
  checker.words();
  checker.throw_if_any();
  return found;
}

}  // namespace kbsim::sweep
