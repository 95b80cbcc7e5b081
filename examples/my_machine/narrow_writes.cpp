// A memory: it reads at the rate of its link, and writes at a share of it.
#include <kbsim/hw/memory/memory_model.hpp>
#include <kbsim/hw/memory/port_timing.hpp>

namespace mine {
namespace {

using kbsim::Time;
using namespace kbsim::literals;
namespace hw = kbsim::hw;

struct NarrowWritesSpec {
  Time access = 40_ns;
  int share = 4;
  static void describe(auto& f) {
    f.add("access_ns", &NarrowWritesSpec::access, kbsim::kNotNegative, "pipelined latency of an access");
    f.add("share", &NarrowWritesSpec::share, kbsim::at_least(1), "of the reads' rate is that of writes");
  }
};

class NarrowWrites final : public hw::PortTiming {
 public:
  NarrowWrites(const hw::MemorySite& site, const NarrowWritesSpec& spec)
      : PortTiming{spec.access, site.link, kbsim::Bandwidth::gbs(site.link.gbs() / spec.share)} {}
};
KBSIM_MEMORY("mine.narrow_writes", NodeKind::hbm_ctrl, NarrowWrites, NarrowWritesSpec,
             "memory whose writes are slower than its reads");

}  // namespace
}  // namespace mine
