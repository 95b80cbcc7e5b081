#include "kbsim/base/registry.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim {
namespace {

// Never destroyed: registries that live until the process ends leave it last.
std::vector<AnyRegistry*>& all() {
  static auto* const registries = new std::vector<AnyRegistry*>;
  return *registries;
}

}  // namespace

AnyRegistry::AnyRegistry(std::string_view kind) : kind_{kind} { all().push_back(this); }

AnyRegistry::~AnyRegistry() { std::erase(all(), this); }

void AnyRegistry::refuse(std::string_view unknown, const std::vector<std::string>& names) const {
  if (std::ranges::find(without_function(), unknown) != without_function().end())
    throw UsageError{kind() + " '" + std::string{unknown} + "' was registered without a function"};
  throw UsageError{"unknown " + kind() + " '" + std::string{unknown} + "'" +
                   (names.empty() ? std::string{kNoneRegistered} : name_hint(unknown, names))};
}

void AnyRegistry::refuse_second(std::string_view name) const {
  throw_internal(kind() + " '" + std::string{name} + "' is registered twice");
}

void AnyRegistry::require_one(std::string_view name) const {
  if (std::ranges::find(conflicts_, name) == conflicts_.end()) return;
  throw UsageError{kind() + " '" + std::string{name} +
                   "' is registered twice in this program, perhaps once by kbsim itself; rename one"};
}

const std::vector<AnyRegistry*>& registries() { return all(); }

}  // namespace kbsim
