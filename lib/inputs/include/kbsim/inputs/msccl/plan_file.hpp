#pragma once

#include <string>

#include "kbsim/ccl/plan.hpp"
#include "kbsim/config/ccl_spec.hpp"

namespace kbsim::inputs {

/// Whether the name of an algorithm is the name of a plan's file: it ends in .xml or .json.
[[nodiscard]] bool names_plan_file(const std::string& name);

/// The plan of a file: MSCCL's XML, or MSCCL++'s JSON (.json). InputError or UsageError if it can't be read,
/// Unsupported if it can't be run.
[[nodiscard]] ccl::Plan read_plan(const std::string& file);
[[nodiscard]] ccl::Plan read_msccl(const std::string& file);
[[nodiscard]] ccl::Plan read_mscclpp(const std::string& file);

/// Declares the file's plan as an algorithm with the file's name, if the name is that of a file.
void declare_plan_file(const std::string& name, config::CclSpec& ccl);

}  // namespace kbsim::inputs
