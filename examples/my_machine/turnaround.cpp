// A memory: reads and writes share one bus, which is idle for a time when its direction changes.
#include <algorithm>
#include <vector>

#include <kbsim/hw/memory/memory_model.hpp>

namespace mine {
namespace {

using kbsim::Time;
using namespace kbsim::literals;
namespace hw = kbsim::hw;

struct TurnaroundSpec {
  Time access = 40_ns;
  Time turn = 7_ns;
  static void describe(auto& f) {
    f.add("access_ns", &TurnaroundSpec::access, kbsim::kNotNegative, "pipelined latency of an access");
    f.add("turn_ns", &TurnaroundSpec::turn, kbsim::kNotNegative, "idle time of the bus between directions");
  }
};

class Turnaround final : public hw::IMemoryTiming, public hw::IRepeatable {
 public:
  Turnaround(const hw::MemorySite& site, const TurnaroundSpec& spec) : spec_{spec}, bus_{site.link} {}

  hw::Lane::Slot serve(const hw::MemoryRequest& request) override {
    const Time start = first_byte(request);
    writes_ = request.op != hw::MemoryOp::read;
    const Time accessed = access(request);
    return bus_.serve(request.head + accessed, start, request.tail + accessed, request.bytes);
  }
  [[nodiscard]] Time first_byte(const hw::MemoryRequest& request) const override {
    const bool turns = (request.op != hw::MemoryOp::read) != writes_;
    return std::max(request.head + access(request), bus_.free() + (turns ? spec_.turn : Time{0}));
  }
  [[nodiscard]] hw::MemoryPort port(bool /*write*/) const override {
    return {.latency = spec_.access, .rate = bus_.rate()};
  }
  [[nodiscard]] std::vector<hw::UnitUse> use() const override { return {hw::use_of(bus_)}; }
  // All state that later requests depend on.
  void visit(hw::RepeatVisitor& visitor) override {
    bus_.visit(visitor);
    visitor.state(writes_);
  }

 private:
  // The write-back of an atomic follows its read.
  [[nodiscard]] Time access(const hw::MemoryRequest& request) const {
    return request.op == hw::MemoryOp::write_back ? Time{0} : spec_.access;
  }

  TurnaroundSpec spec_;
  hw::Lane bus_;
  bool writes_ = false;  // the direction of the last request
};
KBSIM_MEMORY("mine.turnaround", NodeKind::hbm_ctrl, Turnaround, TurnaroundSpec,
             "memory whose bus takes a time to change direction");

}  // namespace
}  // namespace mine
