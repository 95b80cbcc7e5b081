#include "kbsim/explain/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/topology/link_class.hpp"

#include "terms.hpp"

namespace kbsim::explain {
namespace {

using hw::Reason;
using topology::NodeKind;

struct ReasonRow {
  std::string_view name;
  std::string_view others = name;  // the same if other work caused it
  bool of_link = false;
};

constexpr std::array<ReasonRow, hw::kReasons> kRows{{
    {"unexplained"},
    {"overhead"},
    {"wire", "wire", true},
    {"hop", "hop", true},
    {"serialization", "busy link", true},
    {"link free", "link free", true},
    {"memory access"},
    {"memory port", "busy memory port"},
    {"memory port", "busy memory port"},
    {"port free"},
    {"dispatch"},
    {"translation"},
    {"busy DMA port"},
    {"busy DMA port"},
    {"engine work", "busy engine"},
    {"engine free"},
    {"fetch of operands"},
    {"order of one time"},
    {"credit"},
    {"memory access"},
    {"data bus", "busy data bus"},
    {"bank timing", "busy bank"},
    {"bus turnaround"},
    {"refresh"},
    {"bank free"},
    {"refresh"},
    {"clock edge"},
    {"polling"},
    {"polling"},
    {"polling"},
    {"overhead"},
    {"switch allocation"},
    {"credit"},
    {"work of a given time"},
    {"port between chips", "busy port between chips", true},
    {"room among the DMA's requests in flight"},
    {"a free slot of the peer"},
    {"data from the peer"},
    {"the packet before it in a router's queue"},
    {"room in a queue of the next router"},
    {"a virtual channel of the next router"},
    {"its turn at a router"},
    {"a port between chips that sends and receives others"},
}};

const ReasonRow& row(Reason reason) { return kRows[static_cast<std::size_t>(reason)]; }

std::vector<Term> of_port(const Segment& segment, const hw::Machine& machine) {
  const auto& memory = dynamic_cast<const hw::Memory&>(machine.component(NodeId{segment.place}));
  const bool writes = segment.reason == Reason::write_port;
  const double port = (writes ? memory.write_rate() : memory.read_rate()).gbs();
  const NodeKind kind = memory.node().kind;
  if (kind == NodeKind::hbm_ctrl) {
    const config::MachineSpec& spec = machine.graph().spec();
    Term term = rate(std::string{hbm_key(spec)}, hbm_bandwidth(spec).gbs(), port, segment.length(), segment);
    const std::optional<double> efficiency = attribute(memory.node(), "efficiency");
    if (!efficiency) return {term};
    Term also = rate(section(memory.node()) + ".efficiency", *efficiency, port, segment.length(), segment);
    also.unit = "";
    also.shared = true;
    return {term, also};
  }
  const std::string which = kind != NodeKind::pe_tcm ? ".bw_gbs" : writes ? ".write_bw_gbs" : ".read_bw_gbs";
  return {rate(section(memory.node()) + which, port, port, segment.length(), segment)};
}

std::vector<Term> of_fetch(const Segment& segment, const topology::Node& gemm, const topology::Graph& graph) {
  const topology::Node& scheduler = graph.node(graph.pe(gemm.at).scheduler);
  const std::optional<double> ns = attribute(scheduler, "fetch_ns");
  const std::optional<double> gbs = attribute(scheduler, "fetch_bw_gbs");
  if (!ns || !gbs) return {};
  const Time fixed = times(segment.count, from_ns(*ns));
  return {latency(section(scheduler) + ".fetch_ns", *ns, fixed, segment.count),
          rate(section(scheduler) + ".fetch_bw_gbs", *gbs, *gbs, segment.length() - fixed, segment)};
}

Term of_cost(const hw::CostTerm& cost, const Segment& segment, const topology::Node& engine) {
  Term term{.key = section(engine) + "." + std::string{cost.key},
            .unit = std::string{cost.unit},
            .value = cost.value,
            .bytes = cost.work,
            .times = cost.times * segment.count,
            .share = cost.share,
            .rounding = cost.rounded_up ? Rounding::up : Rounding::nearest};
  if (!term.is_rate()) term.count = static_cast<double>(term.times);
  term.time = term.times * term.at(term.value);
  return term;
}

// Terms from the engine's model.
std::vector<Term> of_engine(const Segment& segment, const topology::Node& engine,
                            const hw::Machine& machine) {
  const Time each = segment.length() / segment.count;
  std::vector<hw::CostTerm> costs;
  if (engine.kind == NodeKind::pe_gemm) {
    const NodeId scheduler = machine.graph().pe(engine.at).scheduler;
    const auto& gemm = dynamic_cast<const hw::IGemm&>(machine.component(NodeId{segment.place}));
    const auto& tiling = dynamic_cast<const hw::IScheduler&>(machine.component(scheduler));
    costs = gemm.cost_terms(each, tiling.tiling().tile);
  } else {
    costs = dynamic_cast<const hw::IMath&>(machine.component(NodeId{segment.place}))
                .cost_terms(each, segment.amount);
  }
  std::vector<Term> terms;
  for (const hw::CostTerm& cost : costs) {
    if (cost.times > 0 && (cost.work > 0 || grid_of(cost.unit) == Grid::picoseconds))
      terms.push_back(of_cost(cost, segment, engine));
  }
  return terms;
}

// Bytes leave at the pace of the TCM's port.
std::vector<Term> of_pace(const Segment& segment, const topology::Node& dma, const hw::Machine& machine) {
  Segment port = segment;
  port.reason = Reason::port;
  port.place = machine.graph().pe(dma.at).tcm.value();
  return of_port(port, machine);
}

}  // namespace

Time rounded_down(double ns) {
  constexpr double kNoise = 1e-6;  // of a picosecond
  return Time{static_cast<std::int64_t>(std::floor(ns * 1000.0 + kNoise))};
}

// A unit comes from the text that describes its key.
Grid grid_of(std::string_view unit) {
  if (unit == "ns") return Grid::picoseconds;
  return unit == "cycles" || unit == "B" ? Grid::cycles : Grid::none;
}

std::string one_of(const std::string& unit) {
  return unit == "cycles" ? unit.substr(0, unit.size() - 1) : unit;
}

Time Term::at(double to) const { return std::max(floor, without_floor(to)); }

Time Term::without_floor(double to) const {
  if (!is_rate()) {
    const double ns = times == 0 ? 0.0 : count / static_cast<double>(times) * to;
    return rounding == Rounding::down ? rounded_down(ns) : from_ns(ns);
  }
  const double at = to * share;
  const double ns = static_cast<double>(bytes) / at;
  switch (rounding) {
    case Rounding::bandwidth: return Bandwidth::gbs(at).serialization(Bytes{bytes});
    case Rounding::up: return from_ns(std::ceil(ns * 1000.0) / 1000.0);
    case Rounding::down: return rounded_down(ns);
    case Rounding::nearest: break;
  }
  return from_ns(ns);
}

double Term::slope_ns() const {
  if (without_floor(value) < floor) return 0.0;
  if (!is_rate()) return count;
  return -static_cast<double>(bytes * times) / (value * share) / value;
}

std::vector<Term> terms_of(const Segment& segment, const hw::Machine& machine) {
  const topology::Graph& graph = machine.graph();
  if (segment.cut) return {};
  if (row(segment.reason).of_link) return of_link(segment, graph);
  const topology::Node& node = graph.node(NodeId{segment.place});
  switch (segment.reason) {
    case Reason::overhead:
      return node.kind != NodeKind::pe_mmu ? of_latency(segment, node, "overhead_ns") : std::vector<Term>{};
    case Reason::access: return of_latency(segment, node, "access_ns");
    case Reason::translation: return of_latency(segment, graph.node(graph.pe(node.at).mmu), "overhead_ns");
    case Reason::port:
    case Reason::write_port: return of_port(segment, machine);
    case Reason::engine: return of_engine(segment, node, machine);
    case Reason::dma_pace: return of_pace(segment, node, machine);
    case Reason::dma_port: {
      const double link = graph.spec().pe.link.gbs();
      return {rate("pe.link_bw_gbs", link, link, segment.length(), segment)};
    }
    case Reason::column:
    case Reason::data_bus:
    case Reason::bank:
    case Reason::turnaround:
    case Reason::refresh: return of_delay(segment, machine);
    case Reason::refresh_wait: return of_refresh_wait(segment, machine);
    case Reason::lookahead: return of_lookahead(segment, node, machine);
    case Reason::cycle: return {of_cycle(segment, machine)};
    case Reason::credit_delay: return of_credit_delay(segment, node, machine);
    case Reason::fetch: return of_fetch(segment, node, graph);
    case Reason::dispatch: return of_dispatch(segment, node);
    case Reason::looks: return of_looks(segment, node);
    case Reason::poll:
    case Reason::poll_wait: return of_poll(segment, node, machine);
    default: return {};
  }
}

std::string_view reason_name(const Segment& segment) {
  const ReasonRow& known = row(segment.reason);
  return segment.others ? known.others : known.name;
}

std::string_view wait_name(Reason reason) { return reason >= Reason::window_free ? row(reason).name : ""; }

std::string_view remedy_of(Reason reason) {
  if (reason == Reason::slot_free) return "more or larger slots (n_slots, slot_size of the algorithm)";
  if (reason == Reason::window_free) return "more requests in flight (pe.pe_dma.max_outstanding)";
  if (reason == Reason::room_ahead)
    return "larger queues of routers (buffer_bytes, buffer_flits), more credits of links between chips";
  if (reason == Reason::channel || reason == Reason::queue_head)
    return "more virtual channels (vcs of routers)";
  return "";
}

std::string place_name(const Segment& segment, const topology::Graph& graph) {
  if (row(segment.reason).of_link) return graph.link_name(LinkId{segment.place});
  return graph.node(NodeId{segment.place}).name;
}

std::string place_kind(const Segment& segment, const topology::Graph& graph) {
  if (!row(segment.reason).of_link) return std::string{to_string(graph.node(NodeId{segment.place}).kind)};
  return std::string{to_string(topology::link_class(graph, graph.link(LinkId{segment.place})))};
}

}  // namespace kbsim::explain
