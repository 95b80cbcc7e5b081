#include "config_checks.hpp"

#include <algorithm>
#include <span>

namespace kbsim::config {

void Checker::require(bool holds, const std::vector<std::string>& keys, const std::string& text) {
  if (holds || !std::ranges::all_of(keys, [this](const std::string& key) { return was_read(key); })) return;
  problems_.push_back({reader_.place(keys.front()), keys.front(), text});
}

bool Checker::was_read(const std::string& key) const {
  return std::ranges::none_of(std::span{problems_}.first(known_), [&key](const ConfigProblem& problem) {
    return problem.key.empty() ||
           (key + ".").starts_with(problem.key + ".");  // without a key: the whole file
  });
}

}  // namespace kbsim::config
