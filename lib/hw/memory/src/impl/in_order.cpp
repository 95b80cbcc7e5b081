#include "kbsim/hw/memory/i_memory_scheduler.hpp"

namespace kbsim::hw {
namespace {

/// In the order of arrival, as far ahead as requests are known: an unlimited command queue.
class InOrder final : public IMemoryScheduler {
 public:
  [[nodiscard]] std::size_t window() const override { return kUnlimited; }
  [[nodiscard]] std::size_t pick(std::span<const MemoryRequest>, const IMemoryTiming&) override { return 0; }
};
KBSIM_MEMORY_SCHEDULER("in_order", InOrder, "requests are served in the order of their arrival");

}  // namespace
}  // namespace kbsim::hw
