#include "kbsim/hw/machine.hpp"

#include <fmt/format.h>

#include "kbsim/base/self_profile.hpp"
#include "kbsim/hw/machine_parts.hpp"

namespace kbsim::hw {
namespace {

WorkKind kind_of_work(topology::NodeKind kind) {
  return self_profile::is_on() ? WorkKind{to_string(kind)} : WorkKind{};
}

}  // namespace

Machine::Machine(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log)
    : fabric_{sim, graph}, log_{log}, races_{sim, graph, log} {
  const MachineParts parts{graph};
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const topology::Node& node = graph.nodes()[i];
    const ComponentModel* model = component_models().find(node.model->impl);
    if (model == nullptr) {
      throw ConfigError{node.model->at, node.name,
                        fmt::format("'{}' is no model of a component", node.model->impl)};
    }
    if (model->kind != node.kind) {
      throw ConfigError{node.model->at, node.name,
                        fmt::format("'{}' is a model of {}, expected one of {}", node.model->impl,
                                    to_string(model->kind), to_string(node.kind))};
    }
    sim.build(parts.of(node));
    components_.push_back(model->make(fabric_, NodeId{i}, node.model->attrs));
    if (node.kind == topology::NodeKind::pe_cpu) (void)log.add_lane(to_string(node.at));
  }
  fabric_.connect();
  for (const auto& component : components_) {
    const WorkScope scope{kind_of_work(component->node().kind)};
    sim.build(parts.of(component->node()));
    component->start(*this);
  }
  sim.build(MachineParts::kHost);
}

Machine::~Machine() { *running_ = false; }

std::uint32_t Machine::lane(PeCoord pe) const {
  const config::MachineSpec& spec = graph().spec();
  const int cube = pe.sip * spec.cubes_per_sip() + pe.cube;
  return static_cast<std::uint32_t>(cube * spec.pes_per_cube() + pe.pe);
}

Digest Machine::digest() const {
  Digest digest;
  digest.add(log_.digest().value());
  for (const LiveLink& link : fabric_.links()) {
    digest.add(link.lane.bytes().count()).add(link.lane.busy().count());
  }
  return digest.add(sim().now().count());
}

void Machine::misfit(NodeId id) const {
  const topology::Node& node = graph().node(id);
  throw ConfigError{node.model->at, node.name,
                    fmt::format("'{}' doesn't offer what its neighbours need", node.model->impl)};
}

}  // namespace kbsim::hw
