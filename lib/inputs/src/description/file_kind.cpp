#include "kbsim/inputs/description/file_kind.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/inputs/layers/layers.hpp"

#include "../logs/rows.hpp"

namespace kbsim::inputs {
namespace {

constexpr std::streamsize kBeginning = std::streamsize{256} << 10U;

bool has_keys(std::string_view text, std::initializer_list<std::string_view> keys) {
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return text.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
  });
}

FileKind kind_of_json(std::string_view text) {
  if (has_keys(text, {"gpus"})) return FileKind::mscclpp_plan;
  if (has_keys(text, {"timestamp", "sx"})) return FileKind::noc_trace;
  const bool measured = has_keys(text, {"size"}) || has_keys(text, {"time"});
  const bool model =
      has_keys(text, {"hidden_size"}) || has_keys(text, {"model_type"}) || has_keys(text, {"architectures"});
  return model && !measured ? FileKind::model : FileKind::measurements;
}

}  // namespace

FileKind kind_of_text(std::string_view beginning) {
  if (is_log(beginning)) return FileKind::measurements;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  const char begin = first == std::string_view::npos ? '\0' : beginning[first];
  if (begin == '<') return FileKind::msccl_plan;
  if (begin == '{' || begin == '[') return kind_of_json(beginning);
  return is_layer_list(beginning) ? FileKind::layers : FileKind::measurements;
}

FileKind kind_of_file(const std::filesystem::path& file) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw UsageError{fmt::format("{}: {}", file.string(), why)};
  if (!std::filesystem::is_regular_file(file))
    throw UsageError{fmt::format("{}: is read twice, expected a file", file.string())};
  std::ifstream in{file, std::ios::binary};
  std::string beginning(static_cast<std::size_t>(kBeginning), '\0');
  in.read(beginning.data(), kBeginning);
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  return kind_of_text(beginning);
}

}  // namespace kbsim::inputs
