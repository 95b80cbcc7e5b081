#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kbsim::inputs {

/// What files of others are, by how they begin: their keys, or the columns of their first line.
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

/// What a file of that kind is called.
[[nodiscard]] std::string_view name_of(FileKind kind);

/// By its keys, its columns, or the header of a log.
[[nodiscard]] FileKind kind_of_text(std::string_view beginning);

/// What a file of no kind has in place of one's keys or columns, for a person: the keys of a JSON object.
[[nodiscard]] std::string what_is_unknown(const std::filesystem::path& file);

/// Reads the beginning of a file alone; execution traces of Chakra are known by their name. UsageError if it
/// can't be read, or not twice.
[[nodiscard]] FileKind kind_of_file(const std::filesystem::path& file);

}  // namespace kbsim::inputs
