#include "kbsim/explain/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/topology/link_class.hpp"

namespace kbsim::explain {
namespace {

using hw::Reason;
using topology::LinkClass;
using topology::NodeKind;

struct ReasonRow {
  std::string_view name;
  std::string_view others = name;  // the same of other work
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
    {"room among the DMA's requests in flight"},
    {"a free slot of the peer"},
    {"a tile that the peer hadn't sent"},
    {"the packet before it in a router's queue"},
    {"room in a queue of the next router"},
    {"a virtual channel of the next router"},
    {"its turn at a router"},
}};

const ReasonRow& row(Reason reason) { return kRows[static_cast<std::size_t>(reason)]; }

// The section of a node's model in a topology file.
std::string section(const topology::Node& node) {
  const std::string kind{to_string(node.kind)};
  switch (node.kind) {
    case NodeKind::host: return "system.components.host";
    case NodeKind::pcie_switch: return "system.components.switch";
    case NodeKind::pcie_ep:
    case NodeKind::io_cpu: return "sip.io." + kind;
    case NodeKind::router: return node.at.cube < 0 ? "sip.io.router" : "cube.noc.router";
    case NodeKind::ucie: return "sip.ucie";
    case NodeKind::m_cpu:
    case NodeKind::xbar:
    case NodeKind::hbm_ctrl:
    case NodeKind::sram: return "cube." + kind;
    case NodeKind::part: return "parts." + node.name.substr(node.name.rfind('.') + 1);
    default: return "pe." + kind;
  }
}

constexpr std::array<std::string_view, 9> kBandwidthKeys{
    "system.host_link.bw_gbs", "system.sips.link.bw_gbs", "sip.io.link.bw_gbs",
    "sip.ucie_link.bw_gbs",    "cube.noc.link_bw_gbs",    "cube.noc.link_bw_gbs",
    "pe.link_bw_gbs",          "pe.link_bw_gbs",          "cube.xbar_to_hbm_bw_gbs"};

// What the model of a node has under that name; none if it has nothing.
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

// A unit of the value takes `per_unit` ns.
Term latency(std::string key, double value, Time time, std::int64_t times, double per_unit = 1.0) {
  return {.key = std::move(key),
          .unit = "ns",
          .value = value,
          .time = time,
          .count = per_unit * static_cast<double>(times),
          .times = times};
}

// `rate` is what comes of the value.
Term rate(std::string key, double value, double rate, Time time, const Segment& segment) {
  return {.key = std::move(key),
          .unit = "GB/s",
          .value = value,
          .time = time,
          .bytes = segment.amount,
          .times = segment.count,
          .share = rate / value};
}

Term of_link(const Segment& segment, const topology::Graph& graph) {
  const topology::Link& link = graph.link(LinkId{segment.place});
  if (segment.reason == Reason::wire) {
    return {.key = "system.ns_per_mm",
            .unit = "ns/mm",
            .value = graph.spec().system.ns_per_mm,
            .time = segment.length(),
            .count = link.length_mm * static_cast<double>(segment.count),
            .times = segment.count};
  }
  const auto link_class = static_cast<std::size_t>(topology::link_class(graph, link));
  return rate(std::string{kBandwidthKeys[link_class]}, link.bandwidth.gbs(), link.bandwidth.gbs(),
              segment.length(), segment);
}

std::vector<Term> of_port(const Segment& segment, const hw::Machine& machine) {
  const auto& memory = dynamic_cast<const hw::Memory&>(machine.component(NodeId{segment.place}));
  const bool writes = segment.reason == Reason::write_port;
  const double port = (writes ? memory.write_rate() : memory.read_rate()).gbs();
  const NodeKind kind = memory.node().kind;
  if (kind == NodeKind::hbm_ctrl) {
    const double raw = machine.graph().spec().cube.xbar_to_hbm.gbs();
    Term term = rate("cube.xbar_to_hbm_bw_gbs", raw, port, segment.length(), segment);
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

// Looks of pe_cpu at its queues.
std::vector<Term> of_looks(Segment segment, const topology::Node& cpu) {
  segment.count *= segment.amount;
  return of_dispatch(segment, cpu);
}

// Periods between looks, or what is left of one; as long as a look takes where looks follow one another.
std::vector<Term> of_poll(const Segment& segment, const topology::Node& queues, const hw::Machine& machine) {
  const hw::PollClock& clock =
      dynamic_cast<const hw::IIpcq&>(machine.component(NodeId{segment.place})).poll_clock();
  const bool whole = segment.reason == Reason::poll;
  if (clock.period() == clock.cost())
    return whole ? of_looks(segment, machine.graph().node(machine.graph().pe(queues.at).cpu))
                 : std::vector<Term>{};
  const double period = to_ns(clock.period());
  const std::int64_t times = whole ? segment.count * segment.amount : 1;
  return {{.key = "ccl.defaults.poll_ns",
           .unit = "ns",
           .value = period,
           .time = segment.length(),
           .count = whole ? static_cast<double>(times) : to_ns(segment.length()) / period,
           .times = times}};
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

// What the engine's model says of it.
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

std::vector<Term> of_latency(const Segment& segment, const topology::Node& node, const std::string& key) {
  const std::optional<double> ns = attribute(node, key);
  if (!ns || from_ns(*ns) * segment.count != segment.length()) return {};
  return {latency(section(node) + "." + key, *ns, segment.length(), segment.count)};
}

// A flit's time on the fastest link of a router that switches worms.
Term of_cycle(const Segment& segment, const hw::Machine& machine) {
  const topology::Graph& graph = machine.graph();
  const Bytes flit = machine.component(NodeId{segment.place}).input_queues()->worms->flit;
  const std::vector<LinkId>& out = graph.out(NodeId{segment.place});
  const auto carried = [&](LinkId link) { return serialization(flit, graph.link(link).bandwidth); };
  Segment fastest = segment;
  fastest.place = std::ranges::min(out, {}, carried).value();
  fastest.reason = Reason::serialization;
  fastest.amount = flit.count();
  return of_link(fastest, graph);
}

// The last cycle of a router's pipeline, or all of it; a part of it has no key.
std::vector<Term> of_lookahead(const Segment& segment, const topology::Node& router,
                               const hw::Machine& machine) {
  if (segment.amount > 0) return {};
  std::vector<Term> all = of_latency(segment, router, "overhead_ns");
  return all.empty() ? std::vector{of_cycle(segment, machine)} : all;
}

std::vector<Term> of_credit_delay(const Segment& segment, const topology::Node& router,
                                  const hw::Machine& machine) {
  Term cycles = of_cycle(segment, machine);
  cycles.times *= static_cast<std::int64_t>(attribute(router, "credit_cycles").value_or(1.0));
  return {cycles};
}

// What the memory's model says of it.
std::vector<Term> of_delay(const Segment& segment, const hw::Machine& machine) {
  const auto& memory = dynamic_cast<const hw::Memory&>(machine.component(NodeId{segment.place}));
  std::vector<Term> terms;
  for (const hw::DelayTerm& delay : memory.timing().delay_terms(segment.amount)) {
    const bool of_link = delay.key.empty();
    Term term{
        .key = of_link ? "cube.xbar_to_hbm_bw_gbs" : section(memory.node()) + "." + std::string{delay.key},
        .unit = std::string{delay.unit},
        .value = delay.value,
        .time = times(segment.count, delay.time),
        .bytes = delay.bytes.count(),
        .times = segment.count * delay.times,
        .share = delay.share,
        .rounding = delay.rounded_down ? Rounding::down : Rounding::bandwidth,
        .shared = delay.shared};
    if (!term.is_rate()) term.count = delay.share * static_cast<double>(term.times);
    terms.push_back(std::move(term));
  }
  return terms;
}

// What is left of a refresh, its end first.
std::vector<Term> of_refresh_wait(const Segment& segment, const hw::Machine& machine) {
  std::vector<Term> terms = of_delay(segment, machine);
  Time left = segment.length();
  for (Term& term : terms) {
    term.time = std::min(left, term.time);
    left -= term.time;
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
  return unit == "cycles" ? Grid::cycles : Grid::none;
}

Time Term::at(double to) const {
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
  if (!is_rate()) return count;
  return -static_cast<double>(bytes * times) / (value * share) / value;
}

std::vector<Term> terms_of(const Segment& segment, const hw::Machine& machine) {
  const topology::Graph& graph = machine.graph();
  if (segment.cut) return {};
  if (row(segment.reason).of_link) return {of_link(segment, graph)};
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
  if (reason == Reason::slot_free) return "more slots (n_slots of the algorithm)";
  if (reason == Reason::window_free) return "more requests in flight (pe.pe_dma.max_outstanding)";
  if (reason == Reason::room_ahead) return "larger queues of routers (buffer_bytes, buffer_flits)";
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
