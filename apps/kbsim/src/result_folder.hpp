#pragma once

#include <filesystem>
#include <string_view>

#include <boost/json/object.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// UsageError if it isn't a folder.
void require_results(const std::filesystem::path& folder, std::string_view of = "a run");
/// True if kbsim sweep wrote the folder.
[[nodiscard]] bool is_sweep(const std::filesystem::path& folder);

/// A JSON document from a run's --out. UsageError if the file isn't one.
[[nodiscard]] boost::json::object document_in(const std::filesystem::path& file);

/// The words of the command that wrote the folder, without "kbsim": "run", "traffic" or "fit" first.
/// UsageError if run.json names no command.
[[nodiscard]] Arguments recorded_command(const std::filesystem::path& folder);

}  // namespace kbsim::app
