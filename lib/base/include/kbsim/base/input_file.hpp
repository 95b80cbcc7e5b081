#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

namespace kbsim {

/// Why a file that a user names can't be read: "no such file", "is a folder, expected a file", or "can't be
/// read: " and the system's reason. Empty if it can.
[[nodiscard]] std::string why_unreadable(const std::filesystem::path& file);
/// The same for a folder: "no such folder", "is no folder", or the system's reason.
[[nodiscard]] std::string why_unreadable_folder(const std::filesystem::path& folder);

/// All of a file, which may be a pipe or a device. UsageError "NAMED: why" if it can't be read or is larger
/// than `most` bytes; `named` is the user's name of it. ExitCode::limit if it is more than memory holds.
[[nodiscard]] std::string read_input(const std::filesystem::path& file, const std::string& named,
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

/// Spreadsheets and some editors begin UTF-8 with it. Readers of text skip it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
[[nodiscard]] std::string without_byte_order_mark(std::string text);

/// Whether the text is a JSON object or array, for callers that expect another format.
[[nodiscard]] bool looks_like_json(const std::string& text);

}  // namespace kbsim
