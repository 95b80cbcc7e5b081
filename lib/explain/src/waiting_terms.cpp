// Terms of waits: at memories with banks, in routers with worms, of PEs that poll.
#include <algorithm>
#include <utility>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_switched.hpp"
#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"

#include "terms.hpp"

namespace kbsim::explain {

using hw::Reason;

Term of_cycle(const Segment& segment, const hw::Machine& machine) {
  const topology::Graph& graph = machine.graph();
  const Bytes flit = hw::input_queues(machine.component(NodeId{segment.place}))->worms->flit;
  const std::span<const LinkId> out = graph.out(NodeId{segment.place});
  const auto carried = [&](LinkId link) { return serialization(flit, graph.link(link).bandwidth); };
  Segment fastest = segment;
  fastest.place = std::ranges::min(out, {}, carried).value();
  fastest.reason = Reason::serialization;
  fastest.amount = flit.count();
  return of_rate(fastest, graph);
}

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

std::vector<Term> of_delay(const Segment& segment, const hw::Machine& machine) {
  const auto& memory = dynamic_cast<const hw::Memory&>(machine.component(NodeId{segment.place}));
  std::vector<Term> terms;
  for (const hw::DelayTerm& delay : memory.timing().delay_terms(segment.amount)) {
    const bool of_link = delay.key.empty();
    Term term{.key = of_link ? std::string{hbm_key(machine.graph().spec())}
                             : section(memory.node()) + "." + std::string{delay.key},
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

std::vector<Term> of_refresh_wait(const Segment& segment, const hw::Machine& machine) {
  std::vector<Term> terms = of_delay(segment, machine);
  Time left = segment.length();
  for (Term& term : terms) {
    term.time = std::min(left, term.time);
    left -= term.time;
  }
  return terms;
}

std::vector<Term> of_looks(Segment segment, const topology::Node& cpu) {
  segment.count *= segment.amount;
  return of_dispatch(segment, cpu);
}

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

}  // namespace kbsim::explain
