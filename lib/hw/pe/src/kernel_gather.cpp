// Loads whose addresses are data: they leave when the numbers are known.
#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/sim/process.hpp"

#include "transfers/load.hpp"

namespace kbsim::hw {

PendingPtr KernelContext::gather(const GatherCommand& command) {
  if (!*units_.evaluator)
    throw Unsupported{to_string(to_place(command.at)) + ": gather needs numbers, and this run computes none"};
  PendingPtr done = under_way(CommandWait{"gather"}, command.at);
  const DType dtype = command.base.dtype;
  const Bytes size = command.shape.bytes(dtype);
  const bool now = may_issue(size, command.at);
  Transfer::Origin origin = this->origin("gather", done);
  auto into = coming(origin.value, command.shape, dtype, command.at);
  const auto load = std::make_shared<LoadTransfer>(std::move(origin), std::vector<Piece>{}, std::move(into));
  in_order(now, size, command.at, [this, command, load] {
    load->into().take();
    const Time known = std::max(issue(command.at), static_cast<const PeTile&>(*command.indices).ready());
    (void)units_.sim->serve("gather", load_rows(shared_from_this(), command, load, known));
  });
  return done;
}

// Late, as an item; what it asks for comes later than all that is asked for at this time.
Task<> KernelContext::load_rows(std::shared_ptr<KernelContext> self, GatherCommand command,
                                std::shared_ptr<LoadTransfer> load, Time at) {
  co_await units_.sim->until(at);
  co_await units_.sim->late();
  try {
    const auto& indices = static_cast<const PeTile&>(*command.indices);
    std::vector<Piece> from;
    for (const BlockRun& run : runs_of(command, (*units_.evaluator)(indices.operand()))) {
      const Block one{.runs = {run}, .shape = command.shape, .dtype = command.base.dtype};
      std::ranges::copy(translate(one, told(command, run), command.at), std::back_inserter(from));
    }
    const Time start = units_.sim->now() + std::max(units_.mmu->latency(), 1_ps);
    load->load_from(std::move(from));
    units_.scheduler->submit(start, load);
  } catch (const Error&) {
    load->origin().pending->fail(std::current_exception());
  }
}

}  // namespace kbsim::hw
