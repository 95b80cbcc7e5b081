#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace kbsim::report {

/// Writes a whole file, behind symlinks: aside first, then renamed, so that nobody ever finds half of it; its
/// mode and owner stay. A device, a FIFO and an open descriptor (/dev/stdout) are written to as they are.
/// UsageError naming the file if it can't be written; a file that stood there before then still stands.
void write_file(const std::filesystem::path& file, std::string_view contents);

/// The same of contents that are made piece by piece: `write` gives each to what it is called with.
using FileSink = std::function<void(std::string_view)>;
void write_file(const std::filesystem::path& file, const std::function<void(const FileSink&)>& write);

/// Takes away what write_file wrote aside in processes that were killed as they wrote into this folder. What
/// somebody writes now stays.
void remove_abandoned(const std::filesystem::path& folder);

/// UsageError as write_file's if the file can't be written: to be asked before what takes long. Changes
/// nothing, and opens neither devices nor FIFOs.
void require_writable(const std::filesystem::path& file);

/// Whether the file is this process's stdout, by the name of a descriptor.
[[nodiscard]] bool is_stdout(const std::filesystem::path& file);

/// Says on stderr that a file has been written: "wrote machine.svg". Nothing of a device, a FIFO or a
/// descriptor, which whoever reads it has had.
void say_written(const std::filesystem::path& file);
/// The same of a folder of results, "wrote results to DIR", and of its page if it has one, or gets one next.
void say_results(const std::filesystem::path& folder, bool gets_page = false);

}  // namespace kbsim::report
