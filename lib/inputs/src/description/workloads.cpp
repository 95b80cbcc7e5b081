// What is in execution traces, layer lists and measured times.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/inputs/chakra/workload.hpp"
#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/inputs/logs/measurements.hpp"

namespace kbsim::inputs {
namespace {

Text text_in(const std::filesystem::path& file) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  return Text::read(file, kMost);
}

}  // namespace

boost::json::object describe_chakra_folder(const std::filesystem::path& folder) {
  std::vector<chakra::Trace> traces;
  for (const std::filesystem::path& file : chakra::trace_files(folder))
    traces.push_back(chakra::read_trace(file));
  const chakra::Workload work = chakra::workload_of(traces);
  std::int64_t bytes = 0;
  for (const auto& what : work.communications) bytes += what.bytes;
  return {{"format", "Chakra execution traces"},
          {"ranks", work.ranks},
          {"nodes", work.items.size()},
          {"dependencies", work.dependencies},
          {"communications", work.communications.size()},
          {"bytes", bytes}};
}

boost::json::object describe_chakra_trace(const std::filesystem::path& file) {
  const chakra::Trace trace = chakra::read_trace(file);
  std::size_t dependencies = 0;
  std::int64_t bytes = 0;
  for (const chakra::Node& node : trace.nodes) {
    dependencies += node.control_deps.size() + node.data_deps.size();
    bytes += std::max<std::int64_t>(0, chakra::meaning_of(node).comm_size.value_or(0));
  }
  return {{"format", "Chakra execution trace of one rank"},
          {"nodes", trace.nodes.size()},
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
  return {{"format", "layers of SCALE-Sim"},
          {"layers", layers.size()},
          {"convolutions",
           std::ranges::count_if(layers, [](const auto& layer) { return layer.convolution.has_value(); })},
          {"macs", macs},
          {"bytes", 2.0 * elements}};
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
  return {{"format", "measured times by size"},
          {"rows", found.rows.size()},
          {"rows_skipped", found.skipped.size()},
          {"rows_without_bytes", found.empty}};
}

}  // namespace kbsim::inputs
