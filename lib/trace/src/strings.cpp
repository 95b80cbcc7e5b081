#include "kbsim/trace/strings.hpp"

namespace kbsim::trace {

StringId Strings::id(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const StringId fresh = size();
  ids_.emplace(all_.emplace_back(text), fresh);
  return fresh;
}

}  // namespace kbsim::trace
