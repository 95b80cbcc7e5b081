#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// Chooses the PEs of a machine that take part, in the order of their coordinates.
struct Mapper {
  std::string doc;
  std::function<std::vector<PeCoord>(const config::MachineSpec&)> participants;
  [[nodiscard]] bool has_function() const { return participants != nullptr; }
};
[[nodiscard]] Registry<Mapper>& mappers();

/// Always true. `abi` is KBSIM_ABI as the mapper's file saw it.
bool register_mapper(std::string name, Mapper mapper, const char& abi) noexcept;

/// Makes `std::vector<PeCoord> name(const config::MachineSpec&)` known by its name, in its own file.
#define KBSIM_MAPPER(name, text)         \
  static const bool kRegistered_##name = \
      ::kbsim::ccl::register_mapper(#name, {.doc = text, .participants = name}, KBSIM_ABI)

/// The first `pes` PEs of the first `cubes` cubes of each package.
[[nodiscard]] std::vector<PeCoord> first_pes(const config::MachineSpec& machine, int cubes, int pes);

}  // namespace kbsim::ccl
