// A memory scheduler as a plug-in: this file alone, without a change to kbsim.
#include <algorithm>

#include "kbsim/hw/memory/i_memory_scheduler.hpp"

namespace kbsim::hw::test {
namespace {

/// Serves the request whose data is ready first, so one of an open row; the oldest of several.
class FirstReady final : public IMemoryScheduler {
 public:
  [[nodiscard]] std::size_t window() const override { return 4; }
  [[nodiscard]] std::size_t pick(std::span<const MemoryRequest> ready, const IMemoryTiming& timing) override {
    const auto first_byte = [&](const MemoryRequest& request) { return timing.first_byte(request); };
    return static_cast<std::size_t>(std::ranges::min_element(ready, {}, first_byte) - ready.begin());
  }
};
KBSIM_MEMORY_SCHEDULER("test.first_ready", FirstReady, "open rows first");

}  // namespace
}  // namespace kbsim::hw::test
