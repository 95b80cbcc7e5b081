#pragma once

#include <map>
#include <string>

#include "kbsim/config/ccl_spec.hpp"

#include "config_tree.hpp"
#include "reader.hpp"

namespace kbsim::config {

/// By algorithm: the entries that only its kernel knows.
using KernelEntries = std::map<std::string, Tree>;

/// Takes the keys of kernels out of the algorithms' sections, and those that neither an algorithm nor its
/// kernel has, which are problems.
[[nodiscard]] KernelEntries take_kernel_entries(Tree& ccl, Problems& problems);

/// Reports keys with a cube number that a package of `cubes` cubes doesn't have.
void check_cube_keys(const CclSpec& spec, int cubes, const Reader& reader, Problems& problems);

/// Reads the entries by the kernels' fields. Algorithms without a topology get that of their kernel.
void read_kernel_entries(const KernelEntries& entries, Reader& reader, CclSpec& spec);

}  // namespace kbsim::config
