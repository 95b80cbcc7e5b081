#include "kbsim/base/field.hpp"

namespace kbsim {

// The place of an override has no line.
const Place& ComponentSpec::place_of(const std::vector<std::string>& names) const {
  const Place* first = nullptr;
  for (const std::string& name : names) {
    const auto given = places.find(name);
    if (given == places.end()) continue;
    const bool overrides = given->second.line == 0;
    if (first == nullptr || (overrides && first->line != 0)) first = &given->second;
  }
  return first == nullptr ? at : *first;
}

}  // namespace kbsim
