#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kbsim::inputs {

/// Kinds of other tools' files, recognized by their beginning: their keys, or the columns of their first
/// line.
enum class FileKind : std::uint8_t {
  msccl_plan,
  mscclpp_plan,
  noc_trace,
  model,
  layers,
  measurements,
  chakra_trace,
  unknown
};

/// The name of a kind of file.
[[nodiscard]] std::string_view name_of(FileKind kind);

/// Recognized by its keys, its columns, or the header of a log.
[[nodiscard]] FileKind kind_of_text(std::string_view beginning);

/// The keys or columns of a file of unknown kind, for a person; the keys if it is a JSON object.
[[nodiscard]] std::string what_is_unknown(const std::filesystem::path& file);

/// Reads only the beginning of a file; execution traces of Chakra are recognized by their name. UsageError if
/// it can't be read, or not twice.
[[nodiscard]] FileKind kind_of_file(const std::filesystem::path& file);

}  // namespace kbsim::inputs
