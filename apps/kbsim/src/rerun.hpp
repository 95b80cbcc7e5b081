#pragma once

#include <filesystem>
#include <string>

#include "commands.hpp"

namespace kbsim::app {

/// Arguments that repeat a recorded command on its configuration, `machine`, and write into folder `out`,
/// with op log and traces. A file of the bench's own isn't written again.
[[nodiscard]] Arguments repeated(const Arguments& recorded, const std::filesystem::path& machine,
                                 const std::filesystem::path& out);

/// Runs this command with other arguments in a new process, without stdout, and returns its exit code. A stop
/// signal is passed on; then Interrupted is thrown.
[[nodiscard]] int run_again(const Arguments& arguments);

}  // namespace kbsim::app
