// Loads whose addresses are data: they leave when the numbers are known.
#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/submit.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/gather.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {
namespace {

Pieces rows(const KernelContext& pe, const GatherCommand& command) {
  const auto& indices = static_cast<const PeTile&>(*command.indices);
  Pieces from;
  for (const BlockRun& run : runs_of(command, (*pe.units().evaluator)(indices.operand()))) {
    const Block one{.runs = {run}, .shape = command.shape, .dtype = command.base.dtype};
    std::ranges::copy(pe.addresses().translate(one, described(command, run), command.at),
                      std::back_inserter(from));
  }
  return from;
}

// Late, as item(); its requests are later than all others of this time.
Task<> load_rows(std::shared_ptr<KernelContext> pe, GatherCommand command, std::shared_ptr<LoadTransfer> load,
                 Time at, Cause why) {
  Simulation& sim = *pe->units().sim;
  if (sim.causes() != nullptr) sim.causes()->because(std::move(why));
  co_await sim.until(at);
  co_await sim.late();
  try {
    load->load_from(rows(*pe, command));
    pe->units().scheduler->submit(late_start(*pe), load);
  } catch (const Error&) {
    load->origin().pending->fail(std::current_exception());
  }
}

PendingPtr gather(KernelContext& pe, const GatherCommand& command) {
  pe.units().require_numbers("gather", command.at);
  PendingPtr done = pe.commands().under_way(CommandWait{"gather"}, command.at);
  const DType dtype = command.base.dtype;
  const Bytes size = command.shape.bytes(dtype);
  const bool now = pe.turns().may_issue(size, {&command.shape, dtype}, command.at);
  Transfer::Origin origin = pe.origin("gather", done);
  auto into = pe.coming(origin.value, command.shape, dtype, command.at);
  const auto load = make_pooled<LoadTransfer>(std::move(origin), Pieces{}, std::move(into));
  pe.in_order(now, size, command.at, [&pe, command, load] {
    load->into().take();
    const auto& indices = static_cast<const PeTile&>(*command.indices);
    const Time turn = pe.turns().issue(command.at);
    Cause why;
    if (Causes* const causes = pe.units().sim->causes())
      why = causes->latest(pe.turns().why(), indices.why());
    (void)pe.units().sim->serve("gather", load_rows(pe.shared_from_this(), command, load,
                                                    std::max(turn, indices.ready()), std::move(why)));
  });
  return done;
}
KBSIM_MEMORY_OP(GatherCommand, gather);

}  // namespace
}  // namespace kbsim::hw
