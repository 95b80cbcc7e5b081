// A memory that doesn't say why its requests wait: no run with it can be explained.
#include <kbsim/hw/memory/memory_model.hpp>
#include <kbsim/hw/memory/port_timing.hpp>

namespace {

using namespace kbsim::literals;
namespace hw = kbsim::hw;

struct SilentSpec {
  static void describe(auto& /*f*/) {}
};

class Silent final : public hw::PortTiming {
 public:
  Silent(const hw::MemorySite& site, const SilentSpec& /*spec*/) : PortTiming{30_ns, site.link} {}
  [[nodiscard]] int lanes() const override { return 0; }
};
KBSIM_MEMORY("silent", NodeKind::hbm_ctrl, Silent, SilentSpec, "doesn't say why");

}  // namespace
