#pragma once

#include <filesystem>
#include <string_view>

namespace kbsim::report {

/// Writes a whole file: aside first, then renamed, so that nobody ever finds half of it.
/// UsageError naming the file if it can't be written; what stood there before then still stands.
void write_file(const std::filesystem::path& file, std::string_view contents);

/// UsageError as write_file's if the file can't be written: to be asked before what takes long. Changes
/// nothing.
void require_writable(const std::filesystem::path& file);

}  // namespace kbsim::report
