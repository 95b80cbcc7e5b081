#include "kbsim/hw/memory/i_memory_scheduler.hpp"

namespace kbsim::hw::test {
namespace {

/// The worst order that a memory allows: the latest request first, one at a time.
class LastFirst final : public IMemoryScheduler {
 public:
  [[nodiscard]] std::size_t window() const override { return 1; }
  [[nodiscard]] std::size_t pick(std::span<const MemoryRequest> ready, const IMemoryTiming&) override {
    return ready.size() - 1;
  }
};
KBSIM_MEMORY_SCHEDULER("test.last_first", LastFirst, "the latest request first");

}  // namespace
}  // namespace kbsim::hw::test
