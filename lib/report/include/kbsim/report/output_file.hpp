#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace kbsim::report {

/// Replaces a whole file, following symlinks: it writes a temporary file and renames it, so no reader sees
/// half of it. The mode and the owner stay. A device, a FIFO and an open descriptor (/dev/stdout) are written
/// in place. UsageError naming the file if it can't be written; an earlier file then stays.
void write_file(const std::filesystem::path& file, std::string_view contents);

/// The same for contents made in pieces: `write` passes each piece to its argument.
using FileSink = std::function<void(std::string_view)>;
void write_file(const std::filesystem::path& file, const std::function<void(const FileSink&)>& write);

/// Whether write_file() gives its temporary files such names.
[[nodiscard]] bool is_temporary(std::string_view name);
/// Removes temporary files of write_file() that killed processes left in this folder. Files being written now
/// stay.
void remove_abandoned(const std::filesystem::path& folder);

/// UsageError as write_file()'s if the file can't be written, to be called before long work. It changes
/// nothing, and opens neither devices nor FIFOs.
void require_writable(const std::filesystem::path& file);

/// Whether the file is this process's stdout, by the name of a descriptor.
[[nodiscard]] bool is_stdout(const std::filesystem::path& file);

/// Reports a written file on stderr: "wrote machine.svg". It reports no device, FIFO or descriptor, since
/// their reader already has the contents.
void say_written(const std::filesystem::path& file);
/// The same for a folder of results, "wrote results to DIR", and for its page if it has one or gets one next.
void say_results(const std::filesystem::path& folder, bool gets_page = false);

}  // namespace kbsim::report
