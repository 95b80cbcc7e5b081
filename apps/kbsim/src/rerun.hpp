#pragma once

#include <filesystem>
#include <string>

#include "commands.hpp"

namespace kbsim::app {

/// The arguments that repeat a recorded command on the configuration that it ran with, `machine`, and write
/// into another folder, its op log and its traces, too. A file of the bench's own isn't written again.
[[nodiscard]] Arguments repeated(const Arguments& recorded, const std::filesystem::path& machine,
                                 const std::filesystem::path& out);

/// Runs this command with other arguments in a process of its own, its stdout thrown away, and gives its exit
/// code. A signal that asks for the end is passed on; then Interrupted.
[[nodiscard]] int run_again(const Arguments& arguments);

}  // namespace kbsim::app
