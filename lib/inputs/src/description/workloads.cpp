// Descriptions of execution traces, layer lists and measured times.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/say.hpp"
#include "kbsim/inputs/chakra/workload.hpp"
#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/description/file_kind.hpp"
#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/inputs/logs/measurements.hpp"

namespace kbsim::inputs {
namespace {

Text text_in(const std::filesystem::path& file) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  return Text::read(file, kMost);
}

using Counts = std::map<std::string, std::size_t>;

boost::json::object object_of(const Counts& counts) {
  boost::json::object all;
  for (const auto& [name, count] : counts) all[name] = count;
  return all;
}

// A whole number as an integer, if a double represents it exactly.
boost::json::value whole_if_exact(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (value > kExact) return value;
  return static_cast<std::uint64_t>(value);
}

std::string_view kind_name(const chakra::Communication& what) {
  constexpr auto kOthers = std::to_array<std::string_view>({"gather", "scatter", "barrier", "message"});
  if (what.kind == chakra::CommunicationKind::collective) return to_string(what.collective);
  return kOthers.at(static_cast<std::size_t>(what.kind) - 1);
}

boost::json::object nodes_by_type(const std::vector<chakra::Trace>& traces) {
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"invalid", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL"});
  Counts counts;
  for (const chakra::Trace& trace : traces) {
    for (const chakra::Node& node : trace.nodes) {
      const auto type = static_cast<std::size_t>(node.type);
      ++counts[std::string{type < kTypes.size() ? kTypes.at(type) : "others"}];
    }
  }
  return object_of(counts);
}

// "1024 to 65536", for a column of numbers.
std::string range_of(const Measurements& found, const std::string& column) {
  const auto value = [&](const auto& row) { return std::stod(row.at(column)); };
  const auto [least, most] = std::ranges::minmax_element(found.rows, {}, value);
  return least->at(column) == most->at(column) ? least->at(column)
                                               : fmt::format("{} to {}", least->at(column), most->at(column));
}

// The different words of a column; "" if the file lacks that column.
std::string words_in_column(const Measurements& found, const std::string& column) {
  std::set<std::string> words;
  for (const auto& row : found.rows) {
    if (const auto cell = row.find(column); cell != row.end() && !cell->second.empty())
      words.insert(cell->second);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

chakra::Meaning meaning_in(const std::filesystem::path& file, const chakra::Node& node) {
  try {
    return chakra::meaning_of(node);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", file.string(), error.what())};
  } catch (const Unsupported& error) {
    throw Unsupported{fmt::format("{}: {}", file.string(), error.what())};
  }
}

}  // namespace

boost::json::object describe_chakra_folder(const std::filesystem::path& folder) {
  std::vector<chakra::Trace> traces;
  for (const std::filesystem::path& file : chakra::trace_files(folder))
    traces.push_back(chakra::read_trace(file));
  const chakra::Workload work = chakra::workload_of(traces);
  Counts kinds;
  std::int64_t bytes = 0;
  for (const auto& what : work.communications) {
    ++kinds[std::string{kind_name(what)}];
    bytes += what.bytes;
  }
  return {{"format", "Chakra execution traces"},
          {"ranks", work.ranks},
          {"nodes", work.items.size()},
          {"nodes_by_type", nodes_by_type(traces)},
          {"records", work.records},
          {"dependencies", work.dependencies},
          {"groups", work.groups.size()},
          {"communications", work.communications.size()},
          {"communications_by_kind", object_of(kinds)},
          {"bytes", bytes}};
}

boost::json::object describe_chakra_trace(const std::filesystem::path& file) {
  const chakra::Trace trace = chakra::read_trace(file);
  std::size_t dependencies = 0;
  std::int64_t bytes = 0;
  for (const chakra::Node& node : trace.nodes) {
    dependencies += node.control_deps.size() + node.data_deps.size();
    bytes += std::max<std::int64_t>(0, meaning_in(file, node).comm_size.value_or(0));
  }
  return {{"format", name_of(FileKind::chakra_trace)},
          {"nodes", trace.nodes.size()},
          {"nodes_by_type", nodes_by_type({trace})},
          {"dependencies", dependencies},
          {"bytes", bytes}};
}

boost::json::object describe_layers(const std::filesystem::path& file) {
  const std::vector<Layer> layers = read_layers(text_in(file));
  double macs = 0.0;
  double elements = 0.0;
  for (const Layer& layer : layers) {
    macs += static_cast<double>(layer.macs());
    elements += static_cast<double>(layer.elements());
  }
  const Layer& largest = *std::ranges::max_element(layers, {}, &Layer::macs);
  return {{"format", name_of(FileKind::layers)},
          {"layers", layers.size()},
          {"convolutions",
           std::ranges::count_if(layers, [](const auto& layer) { return layer.convolution.has_value(); })},
          {"macs", whole_if_exact(macs)},
          {"bytes", whole_if_exact(2.0 * elements)},
          {"largest", fmt::format("{}: M {}, N {}, K {}", largest.name, largest.m, largest.n, largest.k)}};
}

boost::json::object describe_measurements(const std::filesystem::path& file) {
  const Measurements found = read_measurements(text_in(file));
  for (const char* column : {"size", "time"}) {
    if (std::ranges::find(found.columns, column) == found.columns.end())
      throw UsageError{
          fmt::format("{}: no column '{}', as measured times have (kbsim import --help lists what is read)",
                      file.string(), column)};
  }
  for (const std::string& row : found.skipped) say("{}\n", row);
  boost::json::object all{{"format", name_of(FileKind::measurements)}, {"rows", found.rows.size()},
                          {"rows_skipped", found.skipped.size()},      {"rows_wrong", found.wrong},
                          {"rows_without_bytes", found.empty},         {"bytes", range_of(found, "size")},
                          {"time_us", range_of(found, "time")}};
  for (const char* column : {"ranks", "type", "redop", "algorithm"}) {
    if (const std::string words = words_in_column(found, column); !words.empty()) all[column] = words;
  }
  return all;
}

}  // namespace kbsim::inputs
