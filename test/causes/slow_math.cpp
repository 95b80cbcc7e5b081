#include "slow_math.hpp"

#include <utility>

#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/in_order_engine.hpp"

namespace kbsim::test::causes {
namespace {

struct Slow {
  oplog::ValueId op;
  Time by{};
};
Slow& slow() {
  static Slow one;
  return one;
}

struct SlowMathSpec {
  static void describe(auto&) {}
};

class SlowMath : public hw::InOrderEngine<hw::IMath> {
 public:
  SlowMath(hw::Fabric& fabric, NodeId id, const SlowMathSpec&) : InOrderEngine{fabric, id} {}

  [[nodiscard]] Task<> run() override {
    for (;;) {
      hw::EngineJob* const job = co_await jobs().receive();
      co_await operands_of(*job);
      co_await busy(job->cost);
      report(*job);
    }
  }
  [[nodiscard]] Time cost(std::int64_t elements) const override { return 4_ns + elements * 1_ps; }
  [[nodiscard]] Time cost(const oplog::Op& op) const override {
    return cost(op.shape.elements()) + (op.id.valid() && op.id == slow().op ? slow().by : Time{0});
  }
  Time note(Time at, oplog::Op op) override { return retire_at(at, std::move(op)); }
};
KBSIM_COMPONENT("test.slow_math", NodeKind::pe_math, SlowMath, SlowMathSpec, "one operation takes longer");

}  // namespace

SlowOp::SlowOp(oplog::ValueId op, Time by) { slow() = {.op = op, .by = by}; }
SlowOp::~SlowOp() { slow() = {}; }

std::string slow_math() { return "pe.pe_math.impl=test.slow_math"; }

}  // namespace kbsim::test::causes
