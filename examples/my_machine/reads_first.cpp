// A memory scheduler: reads, whose senders wait for data, go before writes.
#include <algorithm>

#include <kbsim/hw/memory/i_memory_scheduler.hpp>

namespace mine {
namespace {

namespace hw = kbsim::hw;

class ReadsFirst final : public hw::IMemoryScheduler {
 public:
  [[nodiscard]] std::size_t window() const override { return 16; }
  [[nodiscard]] std::size_t pick(std::span<const hw::MemoryRequest> ready,
                                 const hw::IMemoryTiming&) override {
    const auto read = std::ranges::find(ready, hw::MemoryOp::read, &hw::MemoryRequest::op);
    return read == ready.end() ? 0 : static_cast<std::size_t>(read - ready.begin());
  }
};
KBSIM_MEMORY_SCHEDULER("mine.reads_first", ReadsFirst, "reads before writes");

}  // namespace
}  // namespace mine
