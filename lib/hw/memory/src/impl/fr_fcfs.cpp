#include "kbsim/hw/memory/i_memory_scheduler.hpp"

namespace kbsim::hw {
namespace {

/// First ready, first come: the controller of a memory with banks orders its commands.
class FrFcfs final : public IMemoryScheduler {
 public:
  [[nodiscard]] std::size_t window() const override { return kUnlimited; }
  [[nodiscard]] std::size_t pick(std::span<const MemoryRequest>, const IMemoryTiming&) override { return 0; }
  [[nodiscard]] bool orders_commands() const override { return true; }
};
KBSIM_MEMORY_SCHEDULER("fr_fcfs", FrFcfs,
                       "the commands that can go out first, then the oldest; a memory with banks only");

}  // namespace
}  // namespace kbsim::hw
