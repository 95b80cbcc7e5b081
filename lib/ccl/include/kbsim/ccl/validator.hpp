#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::ccl {

/// Checks whether an algorithm can run on a tensor placed like this: "" if so, else the placement it needs.
struct Validator {
  std::string doc;
  std::function<std::string(const std::vector<topology::ShardSpec>&, const std::vector<PeCoord>& participants,
                            const config::MachineSpec&)>
      check;
  [[nodiscard]] bool has_function() const { return check != nullptr; }
};
[[nodiscard]] Registry<Validator>& validators();

/// Always true. `abi` is KBSIM_ABI as the validator's file saw it.
bool register_validator(std::string name, Validator validator, const char& abi) noexcept;

/// Makes `std::string name(const std::vector<topology::ShardSpec>&, const std::vector<PeCoord>& participants,
/// const config::MachineSpec&)` known by its name, in its own file.
#define KBSIM_VALIDATOR(name, text)      \
  static const bool kRegistered_##name = \
      ::kbsim::ccl::register_validator(#name, {.doc = text, .check = name}, KBSIM_ABI)

/// Whether the shards of a tensor on one package are on just these PEs of it, one on each.
[[nodiscard]] bool owned_by(const std::vector<topology::ShardSpec>& shards, std::vector<PeCoord> pes);

}  // namespace kbsim::ccl
