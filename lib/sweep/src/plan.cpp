#include "kbsim/sweep/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"
#include "kbsim/base/random.hpp"

#include "words.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostPoints = 2'000'000;
constexpr std::size_t kMostAxes = 64;

// Options that a sweep gives its points itself.
constexpr std::array<std::string_view, 25> kOwn{"--out",
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

// Axes whose values go together: by place, as long as each other.
using Group = std::vector<std::size_t>;

class Checker {
 public:
  explicit Checker(const Draft& draft) : draft_{draft}, problems_{draft.problems} {}

  std::vector<Group> groups() {
    const std::vector<std::string> names = names_of(draft_.axes);
    std::vector<std::size_t> group_of(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) group_of[i] = i;
    for (const Placed& zip : draft_.zips) join(zip, names, group_of);
    std::vector<Group> groups(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) groups[group_of[i]].push_back(i);
    std::erase_if(groups, &Group::empty);
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
    if (draft_.axes.size() > kMostAxes) add({}, "axes", fmt::format("more than {} of them", kMostAxes));
    if (draft_.bench.empty()) add({}, "bench", "is missing; see kbsim list");
  }

  std::optional<Sample> sample() {
    std::optional<Sample> sample;
    if (draft_.random) attempt(draft_.random->at, "random", [&] { sample = sample_in(draft_.random->text); });
    return sample;
  }

  // Each once, however many values of an axis have it.
  void add(Place at, std::string key, std::string text) {
    if (!told_.insert(to_string(at) + key + text).second) return;
    problems_.push_back({std::move(at), std::move(key), std::move(text)});
  }
  // What a point's words are about: each once, and nothing that a sweep says itself.
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
      if (std::ranges::find(kOwn, subject) != kOwn.end())
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
    for (const std::string_view part : split(zip.text)) {
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
            fmt::format("'{}' has {} values, and '{}' has {}", part, draft_.axes[i].values.size(),
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
  std::set<std::string> told_;
};

// The combinations, by number: the last group is the fastest.
class Product {
 public:
  Product(const std::vector<Axis>& axes, std::vector<Group> groups)
      : axes_{axes}, groups_{std::move(groups)} {
    for (const Group& group : groups_) {
      const std::size_t n = size_of(group);
      if (size_ > kMost / std::max<std::size_t>(n, 1))
        throw UsageError{"the axes have more than 10^18 combinations"};
      size_ *= n;
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Point at(std::size_t number) const {
    Point point(axes_.size());
    for (std::size_t g = groups_.size(); g-- > 0;) {
      const std::size_t n = size_of(groups_[g]);
      for (const std::size_t axis : groups_[g]) point[axis] = static_cast<std::uint32_t>(number % n);
      number /= n;
    }
    return point;
  }

 private:
  static constexpr std::size_t kMost = 1'000'000'000'000'000'000;
  [[nodiscard]] std::size_t size_of(const Group& group) const { return axes_[group.front()].values.size(); }
  const std::vector<Axis>& axes_;
  std::vector<Group> groups_;
  std::size_t size_ = 1;
};

class Filter {
 public:
  Filter(const std::vector<Axis>& axes, std::vector<Condition> conditions)
      : conditions_{std::move(conditions)} {
    for (const Axis& axis : axes) {
      terms_.emplace_back();
      for (const AxisValue& value : axis.values) terms_.back().push_back(term_of(value.text));
    }
  }
  [[nodiscard]] bool admits(const Point& point) const {
    if (conditions_.empty()) return true;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < point.size(); ++i) terms.push_back(terms_[i][point[i]]);
    return std::ranges::all_of(conditions_, [&](const Condition& each) { return each.holds(terms); });
  }

 private:
  std::vector<Condition> conditions_;
  std::vector<std::vector<Term>> terms_;
};

std::vector<Point> all_points(const Product& product, const Filter& filter) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < product.size(); ++i) {
    if (Point point = product.at(i); filter.admits(point)) points.push_back(std::move(point));
  }
  return points;
}

// Of more combinations than can be looked at: those drawn for which the conditions hold.
std::vector<Point> rare_points(const Product& product, const Filter& filter, const Sample& sample) {
  constexpr std::size_t kTries = 1'000'000;  // in vain, one after the other
  Random random{sample.seed};
  std::set<std::size_t> chosen;
  for (std::size_t tries = 0; chosen.size() < sample.count && tries < kTries; ++tries) {
    const std::size_t number = random.below(product.size());
    if (filter.admits(product.at(number)) && chosen.insert(number).second) tries = 0;
  }
  if (chosen.size() < sample.count)
    throw UsageError{fmt::format("random: only {} points were found for which 'where' holds", chosen.size())};
  std::vector<Point> points;
  for (const std::size_t number : chosen) points.push_back(product.at(number));
  return points;
}

std::vector<Point> points_of(const Product& product, const Filter& filter,
                             const std::optional<Sample>& sample) {
  if (product.size() > kMostPoints) {
    if (!sample || sample->count > kMostPoints)
      throw UsageError{
          fmt::format("the axes have {} combinations, and a sweep has at most {}; 'random: N seed S' "
                      "takes N of them",
                      product.size(), kMostPoints)};
    return rare_points(product, filter, *sample);
  }
  std::vector<Point> all = all_points(product, filter);
  if (all.empty()) throw UsageError{"the plan has no points: 'where' holds for none"};
  if (!sample || sample->count >= all.size()) return all;
  std::vector<Point> some;
  for (const std::size_t i : drawn(all.size(), sample->count, sample->seed)) some.push_back(all[i]);
  return some;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return text + "'";
}

}  // namespace

void Draft::add(const std::string& name, const Placed& value) {
  if (names_several(value.text)) return vary(name, value);
  const bool option = name.starts_with("--");
  words.push_back(option ? name : "--set");
  words.push_back(option ? value.text : name + "=" + value.text);
}

void Draft::vary(const std::string& name, const Placed& values) {
  try {
    axes.push_back(axis_of(name, values_in(values.text), values.at));
  } catch (const UsageError& error) {
    problems.push_back({values.at, name, error.what()});
  }
}

Plan plan_of(const Draft& draft) {
  Checker checker{draft};
  checker.names();
  const std::vector<Group> groups = checker.groups();
  std::vector<Condition> conditions = checker.conditions();
  const std::optional<Sample> sample = checker.sample();
  checker.words();
  checker.throw_if_any();
  Plan plan{.bench = draft.bench, .words = {"--bench", draft.bench}, .axes = draft.axes, .points = {}};
  plan.words.insert(plan.words.end(), draft.words.begin(), draft.words.end());
  plan.points = points_of(Product{plan.axes, groups}, Filter{plan.axes, std::move(conditions)}, sample);
  return plan;
}

std::vector<std::string> words_of(const Plan& plan, const Point& point) {
  std::vector<std::string> words = plan.words;
  for (std::size_t i = 0; i < point.size(); ++i)
    std::ranges::copy(plan.axes[i].values[point[i]].words, std::back_inserter(words));
  return words;
}

std::string command_of(const Plan& plan, const Point& point) {
  std::string text = "kbsim run";
  for (const std::string& word : words_of(plan, point)) text += " " + quoted(word);
  return text;
}

std::vector<std::string> values_of(const Plan& plan, const Point& point) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < point.size(); ++i) values.push_back(plan.axes[i].values[point[i]].text);
  return values;
}

}  // namespace kbsim::sweep
