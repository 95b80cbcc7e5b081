#include "kbsim/base/registry.hpp"

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

const std::vector<AnyRegistry*>& registries() { return all(); }

}  // namespace kbsim
