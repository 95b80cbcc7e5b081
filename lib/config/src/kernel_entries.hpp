#pragma once

#include <map>
#include <string>

#include "kbsim/config/ccl_spec.hpp"

#include "reader.hpp"
#include "tree.hpp"

namespace kbsim::config {

/// By algorithm: the entries that only its kernel knows.
using KernelEntries = std::map<std::string, Tree>;

/// Takes the keys of kernels out of the algorithms' sections, and those that neither an algorithm nor its
/// kernel has, which are problems.
[[nodiscard]] KernelEntries take_kernel_entries(Tree& ccl, Problems& problems);

/// Problems of keys that number a cube which a package of so many doesn't have.
void check_cube_keys(const CclSpec& spec, int cubes, const Reader& reader, Problems& problems);

/// Reads them by the kernels' fields, and gives algorithms without a topology that of their kernel.
void read_kernel_entries(const KernelEntries& entries, Reader& reader, CclSpec& spec);

}  // namespace kbsim::config
