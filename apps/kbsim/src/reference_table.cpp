#include "reference_table.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::app {
namespace {

constexpr std::size_t kLargestReference = std::size_t{64} << 20U;

// Divides "ring=measured.log", unless a file has that name.
std::pair<std::string, std::string> name_and_file(const std::string& word) {
  const std::size_t equals = word.find('=');
  std::error_code ignored;
  if (equals == 0 || equals == std::string::npos || std::filesystem::exists(word, ignored)) return {"", word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void say_skipped(const inputs::Measurements& found) {
  constexpr std::size_t kMany = 10;
  for (const std::string& row : found.skipped | std::views::take(kMany)) say("kbsim: {} (skipped)\n", row);
  if (found.skipped.size() > kMany)
    say("and {} skipped\n", counted(found.skipped.size() - kMany, "more row"));
}

}  // namespace

Reference reference_in(const std::string& word, inputs::Buffers buffers) {
  const auto [algorithm, file] = name_and_file(word);
  inputs::Measurements found =
      inputs::read_measurements(inputs::Text::read(file, kLargestReference), buffers);
  say_skipped(found);
  Reference reference{
      .table = {.source = file, .columns = std::move(found.columns), .rows = std::move(found.rows)},
      .of_either_buffers = found.of_either_buffers,
      .skipped = std::move(found.skipped)};
  report::CsvTable& table = reference.table;
  if (algorithm.empty()) return reference;
  if (!table.has("algorithm")) table.columns.emplace_back("algorithm");
  for (auto& row : table.rows) row["algorithm"] = algorithm;
  return reference;
}

report::CsvTable one_table(const std::vector<report::CsvTable>& tables) {
  if (tables.size() == 1) return tables.front();
  report::CsvTable all{.source = tables.front().source, .columns = tables.front().columns, .rows = {}};
  for (const report::CsvTable& table : tables | std::views::drop(1)) all.source += " and " + table.source;
  std::erase_if(all.columns, [&](const std::string& column) {
    return !std::ranges::all_of(tables, [&](const report::CsvTable& table) { return table.has(column); });
  });
  for (const report::CsvTable& table : tables) {
    for (const auto& row : table.rows) {
      auto& cells = all.rows.emplace_back();
      for (const std::string& column : all.columns) cells[column] = row.at(column);
    }
  }
  return all;
}

}  // namespace kbsim::app
