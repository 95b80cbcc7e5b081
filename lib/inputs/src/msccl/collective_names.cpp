#include "collective_names.hpp"

#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/plan.hpp"

#include "../cells.hpp"
#include "shown.hpp"

namespace kbsim::inputs::msccl {
namespace {

// AllReduce, all_reduce and allreduce are one name.
std::string letters_of(std::string_view name) {
  std::string letters = lower(name);
  std::erase(letters, '_');
  return letters;
}

}  // namespace

std::string name_of(config::Collective collective) { return letters_of(to_string(collective)); }

std::optional<config::Collective> collective_named(std::string_view name) {
  for (const std::string& known : ccl::collectives().names()) {
    if (letters_of(known) == letters_of(name)) return config::Collective{known};
  }
  return std::nullopt;
}

bool is_custom(std::string_view name) { return letters_of(name) == ccl::Plan::kCustom; }

std::string unknown_collective(std::string_view name) {
  std::vector<std::string> known;
  for (const std::string& one : ccl::collectives().names()) known.push_back(letters_of(one));
  const std::string found = shown(name);
  return fmt::format("there is no collective '{}'{}", found, name_hint(found, known));
}

bool has_shares(config::Collective collective) {
  const ccl::CollectiveEntry& row = ccl::collective(collective);
  return row.in == ccl::Extent::all_shares || row.out == ccl::Extent::all_shares;
}

}  // namespace kbsim::inputs::msccl
