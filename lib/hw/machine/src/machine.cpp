#include "kbsim/hw/machine.hpp"

#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "kbsim/base/self_profile.hpp"
#include "kbsim/hw/division.hpp"
#include "kbsim/hw/machine_parts.hpp"

namespace kbsim::hw {
namespace {

const ComponentModel& model_of(const topology::Node& node) {
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
  return *model;
}

}  // namespace

Machine::Machine(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log)
    : fabric_{sim, graph}, log_{log}, races_{sim, graph, log} {
  make_components();
  start_components();
}

Machine::Machine(Simulation& sim, const topology::Graph& graph, oplog::OpLog& log,
                 const SimulationOptions& each)
    : fabric_{sim, graph},
      division_{std::make_unique<Division>(sim, fabric_, each)},
      log_{log},
      races_{sim, graph, log} {
  make_components();
  undivided_because_ = division_->obstacle();
  if (!undivided_because_.empty()) {
    components_.clear();
    division_.reset();
    make_components();
  } else {
    division_->add_borders();
    log.share();
  }
  start_components();
}

void Machine::make_components() {
  const topology::Graph& graph = fabric_.graph();
  const MachineParts parts{graph};
  components_.reserve(graph.nodes().size());
  // Models by their settings, which many nodes share; a place of the configuration is of one kind of node.
  boost::unordered_flat_map<const ComponentSpec*, const ComponentModel*> models;
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const topology::Node& node = graph.nodes()[i];
    const ComponentModel*& model = models[node.model];
    if (model == nullptr) model = &model_of(node);
    Fabric& fabric = division_ == nullptr ? fabric_ : division_->fabric(node);
    fabric.sim().build(parts.of(node));
    components_.push_back(model->make(fabric, NodeId{i}, node.model->attrs));
    components_.back()->keep_overhead();
  }
}

void Machine::start_components() {
  const topology::Graph& graph = fabric_.graph();
  for (const topology::Node& node : graph.nodes()) {
    if (node.kind == topology::NodeKind::pe_cpu) (void)log_.add_lane(to_string(node.at));
  }
  fabric_.connect();
  if (division_ != nullptr) division_->set_lookahead();
  const MachineParts parts{graph};
  for (const auto& component : components_) {
    const WorkScope scope{kind_of_work(component->node().kind)};
    fabric_.owner(component->id()).sim().build(parts.of(component->node()));
    component->start(*this);
  }
  sim().build(MachineParts::kHost);
}

// Coroutines are destroyed before the objects that they use.
Machine::~Machine() {
  if (division_ != nullptr) division_->clear();
  *running_ = false;
}

void Machine::run(unsigned threads) {
  if (division_ == nullptr) return sim().run();
  division_->run(threads);
}

std::uint64_t Machine::events() const {
  return division_ == nullptr ? sim().events() : division_->windows().events();
}

std::unique_lock<std::mutex> Machine::touch_divided(NodeId id) {
  const std::optional<std::size_t> running = Windows::running();
  const topology::Node& node = graph().node(id);
  if (running && *running != division_->process(node))
    throw Unsupported{
        fmt::format("{} is asked for by another package or the host while they run side by side: "
                    "--num-threads 1",
                    node.name)};
  return std::unique_lock{offering_};
}

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
