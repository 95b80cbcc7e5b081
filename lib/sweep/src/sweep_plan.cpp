#include "kbsim/sweep/sweep_plan.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "sweep_plan_draft.hpp"

namespace kbsim::sweep {
namespace {

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
  CheckedDraft found = checked(draft);
  Plan plan{.bench = draft.bench, .words = {"--bench", draft.bench}, .axes = draft.axes, .points = {}};
  plan.words.insert(plan.words.end(), draft.words.begin(), draft.words.end());
  plan.points = points_of(plan.axes, std::move(found));
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
