#pragma once

#include <filesystem>
#include <string_view>

#include <boost/json/object.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// UsageError if it isn't a folder.
void require_results(const std::filesystem::path& folder, std::string_view of = "a run");
/// What kbsim sweep wrote.
[[nodiscard]] bool is_sweep(const std::filesystem::path& folder);

/// A file of JSON in what a run wrote with --out. UsageError if it isn't one.
[[nodiscard]] boost::json::object document_in(const std::filesystem::path& file);

/// The words of the command that wrote the folder, without its own name: "run", "traffic" or "fit" first.
/// UsageError if run.json names none.
[[nodiscard]] Arguments recorded_command(const std::filesystem::path& folder);

}  // namespace kbsim::app
