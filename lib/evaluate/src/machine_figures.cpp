#include "kbsim/evaluate/machine_figures.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"

namespace kbsim::evaluate {
namespace {

// An attribute of a component model, given or by default; none if the model has no such attribute.
std::optional<double> attribute(const ComponentSpec& component, std::string_view name) {
  const std::vector<Field>& fields = *hw::component_models().at(component.impl).fields;
  const auto field = std::ranges::find(fields, name, &Field::name);
  if (field == fields.end()) return std::nullopt;
  const auto given = component.attrs.find(field->name);
  const Scalar value = given != component.attrs.end() ? given->second : field->get(field->fresh().get());
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? std::optional{*real} : std::nullopt;
}

}  // namespace

topology::Figures figures_of(const topology::Graph& graph) {
  Simulation sim;
  oplog::OpLog log;
  hw::Machine machine{sim, graph, log};
  const hw::IGemm& gemm = machine.at<hw::IGemm>(graph.pe({0, 0, 0}).gemm);
  topology::Figures result{.hbm_efficiency = attribute(graph.spec().cube.hbm_ctrl, "efficiency"),
                           .macs_per_ns = gemm.peak_macs_per_ns()};
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    result.overhead.push_back(machine.fabric().component(NodeId{i}).overhead());
  }
  return result;
}

}  // namespace kbsim::evaluate
