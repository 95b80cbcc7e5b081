#include "kbsim/llm/contexts.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/random.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kMostContext = 1048576;
constexpr std::size_t kMostSequences = 256;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<std::int64_t> context_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= 1 && number <= kMostContext ? std::optional{number} : std::nullopt;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

struct Line {
  std::size_t number = 0;
  std::vector<std::string_view> cells;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && !line.starts_with('#')) lines.push_back({number, cells_of(line)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

[[noreturn]] void refuse(const std::string& place, std::string_view found, std::string_view expected) {
  throw UsageError{fmt::format("{}: found '{}', expected {}", place, harmless(std::string{found}), expected)};
}

// The column of a CSV's lines, and whether the first line is its header.
struct Column {
  std::size_t index = 0;
  bool header = false;
};

Column column_of(const std::string& file, const Line& first) {
  const auto found = std::ranges::find(first.cells, "context");
  if (found != first.cells.end()) return {static_cast<std::size_t>(found - first.cells.begin()), true};
  if (first.cells.size() > 1)
    refuse(fmt::format("{}:{}", file, first.number), first.cells.front(), "a header with a column 'context'");
  return {};
}

std::vector<std::int64_t> contexts_in(const std::string& file) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  const std::string text = without_byte_order_mark(read_input(file, file, kMostBytes));
  std::vector<Line> lines = lines_of(text);
  if (lines.empty()) throw UsageError{fmt::format("{}: no context, expected one a line", file)};
  const Column column = column_of(file, lines.front());
  if (column.header) lines.erase(lines.begin());
  std::vector<std::int64_t> contexts;
  for (const Line& line : lines) {
    const std::string_view cell = column.index < line.cells.size() ? line.cells[column.index] : "";
    const std::optional<std::int64_t> context = context_in(cell);
    if (!context)
      refuse(fmt::format("{}:{}", file, line.number), cell,
             fmt::format("a whole number from 1 to {}", kMostContext));
    contexts.push_back(*context);
  }
  return contexts;
}

}  // namespace

std::vector<std::int64_t> read_contexts(const std::string& file, std::optional<std::int64_t> batch) {
  std::vector<std::int64_t> contexts = contexts_in(file);
  if (contexts.empty() || contexts.size() > kMostSequences)
    throw UsageError{
        fmt::format("{}: {}, expected 1 to {}", file, counted(contexts.size(), "context"), kMostSequences)};
  const auto sequences = static_cast<std::int64_t>(contexts.size());
  if (batch.value_or(sequences) != sequences)
    throw UsageError{fmt::format("--batch {}: {} has {}, one for each sequence", *batch, file,
                                 counted(sequences, "context"))};
  return contexts;
}

std::vector<std::int64_t> draw_contexts(const std::string& range, std::int64_t batch, std::uint64_t seed) {
  const std::string_view text = range;
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::optional<std::int64_t> low = context_in(text.substr(0, dash));
  const std::optional<std::int64_t> high = context_in(text.substr(std::min(dash + 1, text.size())));
  if (!low || !high || *low > *high)
    refuse("--drawn-contexts", range, fmt::format("a range such as 100-2000, from 1 to {}", kMostContext));
  Random random{seed};
  std::vector<std::int64_t> contexts;
  for (std::int64_t i = 0; i < batch; ++i)
    contexts.push_back(*low +
                       static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(*high - *low + 1))));
  return contexts;
}

}  // namespace kbsim::inference
