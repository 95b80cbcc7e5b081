#include <algorithm>
#include <cmath>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/in_order_engine.hpp"
#include "kbsim/oplog/op_table.hpp"

namespace kbsim::hw {
namespace {

struct PeMathSpec {
  int lanes = 64;
  double freq_ghz = 1.0;
  Time startup = 4_ns;
  int elementwise_cycles = 1;
  int transcendental_cycles = 4;
  int reduce_cycles = 1;
  int move_cycles = 1;
  static void describe(FieldList<PeMathSpec>& f) {
    f.add("lanes", &PeMathSpec::lanes, at_least(1), "elements a cycle");
    f.add("freq_ghz", &PeMathSpec::freq_ghz, kPositive, "clock");
    f.add("startup_ns", &PeMathSpec::startup, kNotNegative, "fill of the pipeline, once a command");
    f.add("elementwise_cycles", &PeMathSpec::elementwise_cycles, at_least(1),
          "each `lanes` elements of fills, casts, arithmetic, comparisons, where, abs, floor and ceil");
    f.add("transcendental_cycles", &PeMathSpec::transcendental_cycles, at_least(1),
          "each `lanes` elements of exp, log, sqrt, sin, tanh, erf and their like");
    f.add("reduce_cycles", &PeMathSpec::reduce_cycles, at_least(1),
          "each `lanes` elements of reductions, scans and topk");
    f.add("move_cycles", &PeMathSpec::move_cycles, at_least(1),
          "each `lanes` elements of permute, broadcast, cat and slice");
  }
};

/// Vector engine, one command at a time: startup + ceil(elements / lanes) * cycles / freq, where `elements`
/// is the number of the largest operand or of the result, and `cycles` the class's. A slice reads only the
/// elements of its result. A softmax is a maximum, a difference, an exponential, a sum and a quotient.
class PeMath : public InOrderEngine<IMath>, public IRepeatable {
 public:
  PeMath(Fabric& fabric, NodeId id, PeMathSpec spec) : InOrderEngine{fabric, id}, spec_{spec} {}

  [[nodiscard]] Task<> run() override;
  void visit(RepeatVisitor& visitor) override { visit_server(visitor); }
  [[nodiscard]] Time cost(std::int64_t elements) const override { return cost_of(elements, 1); }
  [[nodiscard]] Time cost(const oplog::Op& op) const override {
    std::int64_t elements = op.shape.elements();
    if (op.kind == oplog::OpKind::slice) return cost_of(elements, cycles(op));
    for (const oplog::Operand& input : op.inputs) elements = std::max(elements, input.shape.elements());
    return cost_of(elements, cycles(op));
  }
  [[nodiscard]] std::vector<CostTerm> cost_terms(Time cost, std::int64_t commands) const override;
  Time note(Time at, oplog::Op op) override { return retire_at(at, std::move(op)); }

 private:
  [[nodiscard]] Time cost_of(std::int64_t elements, std::int64_t cycles) const {
    const std::int64_t all = ceil_div(elements, spec_.lanes) * cycles;
    return later(spec_.startup, from_ns(static_cast<double>(all) / spec_.freq_ghz));
  }
  [[nodiscard]] std::int64_t cycles(const oplog::Op& op) const;

  PeMathSpec spec_;
};

Task<> PeMath::run() {
  for (;;) {
    EngineJob* const job = co_await jobs().receive();
    co_await operands_of(*job);
    co_await busy(job->cost);
    report(*job);
  }
}

std::vector<CostTerm> PeMath::cost_terms(Time cost, std::int64_t commands) const {
  const Time working = cost - times(commands, spec_.startup);
  return {{.key = "startup_ns", .unit = "ns", .value = to_ns(spec_.startup), .times = commands},
          {.key = "freq_ghz",
           .unit = "GHz",
           .value = spec_.freq_ghz,
           .times = 1,
           .work = std::llround(to_ns(working) * spec_.freq_ghz)}};
}

std::int64_t PeMath::cycles(const oplog::Op& op) const {
  using enum oplog::CostClass;
  switch (cost_class(op)) {
    case elementwise: return spec_.elementwise_cycles;
    case transcendental: return spec_.transcendental_cycles;
    case reduce: return spec_.reduce_cycles;
    case move: return spec_.move_cycles;
    case softmax: return 2 * spec_.reduce_cycles + spec_.transcendental_cycles + 2 * spec_.elementwise_cycles;
    case product: break;
  }
  throw InternalError{"pe_math computes no products of matrices"};
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_math", NodeKind::pe_math, PeMath, PeMathSpec, "vector engine of a PE");

}  // namespace kbsim::hw
