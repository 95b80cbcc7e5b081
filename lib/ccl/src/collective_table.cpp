#include "kbsim/ccl/collective_table.hpp"

#include <string>

#include "kbsim/base/error.hpp"

namespace kbsim::ccl {
namespace {

std::map<config::Collective, CollectiveEntry>& table() {
  static std::map<config::Collective, CollectiveEntry> rows;
  return rows;
}

}  // namespace

const std::map<config::Collective, CollectiveEntry>& collectives() { return table(); }

const CollectiveEntry& collective(config::Collective which) {
  const auto row = table().find(which);
  ensure(row != table().end(), [&] { return "no row of the collective " + std::string{to_string(which)}; });
  return row->second;
}

bool register_collective(config::Collective which, const CollectiveEntry& entry) {
  const bool fresh = table().emplace(which, entry).second;
  ensure(fresh, [&] { return "two rows of the collective " + std::string{to_string(which)}; });
  return true;
}

}  // namespace kbsim::ccl
