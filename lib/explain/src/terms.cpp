// Building blocks of a path's terms.
#include "terms.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::explain {
namespace {

using topology::NodeKind;

// A router of a cube, of an IO chiplet, or a switch that joins packages.
std::string_view router_section(const topology::Node& node) {
  if (node.at.sip < 0) return "system.sips.switch";
  return node.at.cube < 0 ? "sip.io.router" : "cube.noc.router";
}

}  // namespace

std::string section(const topology::Node& node) {
  const std::string kind{to_string(node.kind)};
  switch (node.kind) {
    case NodeKind::host: return "system.components.host";
    case NodeKind::pcie_switch: return "system.components.switch";
    case NodeKind::pcie_ep:
    case NodeKind::io_cpu: return "sip.io." + kind;
    case NodeKind::router: return std::string{router_section(node)};
    case NodeKind::ucie: return "sip.ucie";
    case NodeKind::m_cpu:
    case NodeKind::xbar:
    case NodeKind::hbm_ctrl:
    case NodeKind::sram: return "cube." + kind;
    case NodeKind::part: return "parts." + node.name.substr(node.name.rfind('.') + 1);
    default: return "pe." + kind;
  }
}

std::string_view hbm_key(const config::MachineSpec& spec) {
  return spec.shares_hbm() ? "cube.floorplan.hbm.bw_gbs" : "cube.xbar_to_hbm_bw_gbs";
}

Bandwidth hbm_bandwidth(const config::MachineSpec& spec) {
  return spec.shares_hbm() ? spec.cube.floorplan.hbm.bandwidth : spec.cube.xbar_to_hbm;
}

std::optional<double> attribute(const topology::Node& node, const std::string& name) {
  const std::vector<Field>& fields = *hw::component_models().at(node.model->impl).fields;
  const auto field = std::ranges::find(fields, name, &Field::name);
  if (field == fields.end()) return std::nullopt;
  const auto given = node.model->attrs.find(name);
  const Scalar value = given != node.model->attrs.end() ? given->second : field->get(field->fresh().get());
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

Term latency(std::string key, double value, Time time, std::int64_t times, double per_unit) {
  return {.key = std::move(key),
          .unit = "ns",
          .value = value,
          .time = time,
          .count = per_unit * static_cast<double>(times),
          .times = times};
}

Term rate(std::string key, double value, double rate, Time time, const Segment& segment) {
  return {.key = std::move(key),
          .unit = "GB/s",
          .value = value,
          .time = time,
          .bytes = segment.amount,
          .times = segment.count,
          .share = rate / value};
}

std::vector<Term> of_latency(const Segment& segment, const topology::Node& node, const std::string& key) {
  const std::optional<double> ns = attribute(node, key);
  if (!ns || from_ns(*ns) * segment.count != segment.length()) return {};
  return {latency(section(node) + "." + key, *ns, segment.length(), segment.count)};
}

std::vector<Term> of_dispatch(const Segment& segment, const topology::Node& cpu) {
  const std::optional<double> cycles = attribute(cpu, "dispatch_cycles");
  const std::optional<double> ghz = attribute(cpu, "freq_ghz");
  if (!cycles || !ghz) return {};
  Term term =
      latency(section(cpu) + ".dispatch_cycles", *cycles, segment.length(), segment.count, 1.0 / *ghz);
  term.unit = "cycles";
  return {term,
          {.key = section(cpu) + ".freq_ghz",
           .unit = "GHz",
           .value = *ghz,
           .time = segment.length(),
           .bytes = static_cast<std::int64_t>(*cycles),
           .times = segment.count,
           .rounding = Rounding::nearest,
           .shared = true}};
}

}  // namespace kbsim::explain
