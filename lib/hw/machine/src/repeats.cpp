#include "kbsim/hw/repeats.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {
namespace {

void visit_log(oplog::OpLog& log, RepeatVisitor& visitor) {
  if (log.keeps_operations()) visitor.refuse("values are computed");
  std::size_t recorded = log.size();
  visitor.count(recorded);
  log.repeat(recorded - log.size());
}

void visit_fabric(Fabric& fabric, RepeatVisitor& visitor) {
  if (fabric.switches().any()) visitor.refuse("packets wait in switches");
  if (!fabric.is_whole()) visitor.refuse("the machine is divided among threads");
  if (fabric.spans() != nullptr || fabric.traces_messages()) visitor.refuse("a trace is recorded");
  if (fabric.causes() != nullptr) visitor.refuse("causes are kept");
  (void)fabric.links();  // brings all of them, and what depends on them, up to date
  for (LiveLink& link : fabric.live_links()) {
    link.lane.visit(visitor);
    if (link.rare != nullptr) visitor.count(link.rare->stored);
  }
  fabric.visit_paths(visitor);
  fabric.message_counts().visit(visitor);
}

void visit_whole(Machine& machine, RepeatVisitor& visitor) {
  visit_log(machine.log(), visitor);
  if (machine.races().on()) visitor.refuse("races are looked for");
  visit_fabric(machine.fabric(), visitor);
  if (!machine.sim().scheduler().plain()) visitor.refuse("events are observed or shuffled");
}

}  // namespace

Repeats::Repeats(Machine& machine) : machine_{machine} {
  for (std::uint32_t i = 0; i < machine.graph().nodes().size(); ++i) {
    Component& component = machine.fabric().component(NodeId{i});
    parts_.push_back({&component, component.offers<IRepeatable>()});
  }
}

void Repeats::visit(const Part& part, RepeatVisitor& visitor) {
  if (part.states != nullptr) return part.states->visit(visitor);
  visitor.refuse(fmt::format("{} doesn't state what it depends on", part.component->node().model->impl));
}

BorderState Repeats::read() const {
  BorderState state{.at = machine_.sim().now()};
  RepeatVisitor visitor{state};
  visit_whole(machine_, visitor);
  for (const Part& part : parts_) {
    const bool refused = !state.refused.empty();
    visit(part, visitor);
    if (!refused && !state.refused.empty()) state.refused = part.component->name() + ": " + state.refused;
  }
  return state;
}

std::optional<BorderState> Repeats::border() const {
  if (machine_.sim().scheduler().next() != kForever) return std::nullopt;
  BorderState state = read();
  if (!state.at_rest) return std::nullopt;
  return state;
}

bool Repeats::can_repeat(const BorderedWork& work, const BorderState& now) {
  const BorderState& begin = work.begin;
  return now.refused.empty() && begin.state == now.state && begin.fixed == now.fixed &&
         work.end.fixed == begin.fixed && begin.counts.size() == now.counts.size() &&
         work.end.counts.size() == now.counts.size();
}

void Repeats::repeat(const BorderedWork& work) const {
  RepeatVisitor visitor{work.begin, work.end, machine_.sim().now()};
  visit_whole(machine_, visitor);
  for (const Part& part : parts_) visit(part, visitor);
}

std::string Repeats::owner_of_count(std::size_t count) const {
  BorderState state{.at = machine_.sim().now()};
  RepeatVisitor visitor{state};
  visit_whole(machine_, visitor);
  std::string owner = "links, messages or operations";
  for (const Part& part : parts_) {
    if (state.counts.size() <= count) owner = part.component->name();
    visit(part, visitor);
  }
  return state.counts.size() > count ? owner : "nothing";
}

std::string Repeats::difference(const BorderedWork& expected, const BorderedWork& simulated) const {
  if (expected.time() != simulated.time())
    return fmt::format("it takes {}, expected {}", to_string(simulated.time()), to_string(expected.time()));
  for (std::size_t i = 0; i < expected.end.counts.size(); ++i) {
    const std::int64_t more = expected.end.counts[i] - expected.begin.counts[i];
    const std::int64_t got = simulated.end.counts[i] - simulated.begin.counts[i];
    if (more != got)
      return fmt::format("count {} of {} grows by {}, expected {}", i, owner_of_count(i), got, more);
  }
  for (std::size_t i = 0; i < expected.end.items.size(); ++i) {
    const auto grown = [i](const BorderedWork& work) {
      return work.end.items[i] - (i < work.begin.items.size() ? work.begin.items[i] : 0);
    };
    if (grown(expected) != grown(simulated))
      return fmt::format("path {} delivers {} B, expected {}", i, grown(simulated), grown(expected));
  }
  const bool same = expected.end.state == simulated.end.state && expected.end.fixed == simulated.end.fixed;
  return same ? "" : "it leaves another state";
}

}  // namespace kbsim::hw
