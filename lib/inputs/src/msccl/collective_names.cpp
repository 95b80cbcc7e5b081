#include "collective_names.hpp"

#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/ccl/collective.hpp"

#include "shown.hpp"

namespace kbsim::inputs::msccl {
namespace {

std::string without_lines(std::string_view name) {
  std::string letters{name};
  std::erase(letters, '_');
  return letters;
}

}  // namespace

std::string name_of(config::Collective collective) { return without_lines(to_string(collective)); }

std::optional<config::Collective> collective_named(std::string_view name) {
  for (const auto& [collective, row] : ccl::collectives()) {
    if (name_of(collective) == without_lines(name)) return collective;
  }
  return std::nullopt;
}

std::string unknown_collective(std::string_view name) {
  if (name == "custom")
    throw Unsupported{
        "a plan of the collective 'custom' doesn't say what it computes, so it can't be checked"};
  std::vector<std::string> known;
  for (const auto& [collective, row] : ccl::collectives()) known.push_back(name_of(collective));
  const std::string found = shown(name);
  return fmt::format("there is no collective '{}'{}", found, name_hint(found, known));
}

bool has_shares(config::Collective collective) {
  const ccl::CollectiveEntry& row = ccl::collective(collective);
  return row.in == ccl::Extent::all_shares || row.out == ccl::Extent::all_shares;
}

}  // namespace kbsim::inputs::msccl
