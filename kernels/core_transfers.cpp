// Back-to-back transfers between the scratchpads of PEs, or to and from memory, and the wait for all of them.
#include "kbsim/kernels/core_transfers.hpp"

#include <deque>

#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

Task<> core_transfers(TL& tl, CoreTransfersArgs args) {
  const auto pid = static_cast<std::size_t>(tl.program_id(1) * tl.num_programs(0) + tl.program_id(0));
  const std::vector<int>& targets = (*args.targets)[pid];
  if (targets.empty()) co_return;
  const std::int64_t own = (*args.numbers)[pid] * args.places;
  const Tile sent = args.reads ? Tile{} : tl.zeros({args.bytes}, DType::u8);
  co_await tl.sync();
  const Time start = tl.clock();
  std::deque<Pending<Tile>> under_way;
  for (const int target : targets) {
    for (std::int64_t i = 0; i < args.transactions; ++i) {
      const Ptr at = args.there + target * args.stride + (own + i % args.places) * args.bytes;
      if (!args.reads) {
        tl.store(at, sent).detach();
        continue;
      }
      if (std::ssize(under_way) == args.window) {  // the oldest tile makes room for this one
        co_await under_way.front();
        under_way.pop_front();
      }
      under_way.push_back(tl.load(at, {args.bytes}, DType::u8));
    }
  }
  for (Pending<Tile>& read : under_way) co_await read;
  co_await tl.sync();
  (*args.took)[pid] = tl.clock() - start;
}
KBSIM_KERNEL(core_transfers, "writes or reads of other PEs' TCM, or of memory, back to back");

}  // namespace
}  // namespace kbsim
