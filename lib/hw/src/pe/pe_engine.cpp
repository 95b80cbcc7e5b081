#include "kbsim/hw/pe/pe_engine.hpp"

#include <cmath>

#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_math", NodeKind::pe_math, PeMath, PeMathSpec, "vector engine of a PE");
KBSIM_COMPONENT("builtin.pe_gemm", NodeKind::pe_gemm, PeGemm, PeGemmSpec, "matrix engine of a PE");

namespace {

bool transcendental(oplog::UnaryOp op) {
  using oplog::UnaryOp;
  return UnaryOp::exp <= op && op <= UnaryOp::erf;
}

}  // namespace

PeEngine::PeEngine(Fabric& fabric, NodeId id)
    : Component{fabric, id}, retired_{fabric.sim(), name() + " retire"} {}

void PeEngine::start(Machine& machine) { (void)sim().serve(name(), retire(&machine.log())); }

Time PeEngine::issue(Time earliest, Time cost, oplog::Op op) {
  op.unit = id();
  op.start = std::max(earliest, free_);
  op.end = later(op.start, cost);
  free_ = op.end;
  const Time waited = op.start - earliest;
  use_ += {.served = 1, .busy = cost, .waited = waited, .longest = waited + cost};
  const Time end = op.end;
  retired_.post(end, std::move(op));
  return end;
}

void PeEngine::serve() {
  std::ranges::sort(asked_, {}, &Work::order);
  for (Work* work : asked_) {
    const Time waited = std::max(sim().now(), free_) - sim().now();
    free_ = work->end = later(sim().now() + waited, work->cost);
    use_ += {.served = 1, .busy = work->cost, .waited = waited, .longest = waited + work->cost};
  }
  asked_.clear();
}

Time PeEngine::note(Time at, oplog::Op op) {
  at = std::max(at, sim().now());
  op.unit = id();
  op.start = op.end = at;
  retired_.post(at, std::move(op));
  return at;
}

Task<> PeEngine::retire(oplog::OpLog* log) {
  for (;;) {
    oplog::Op op = co_await retired_.receive();
    log->record(std::move(op));
  }
}

Time PeMath::cost(std::int64_t elements, std::int64_t cycles) const {
  const std::int64_t all = ceil_div(elements, spec_.lanes) * cycles;
  return later(spec_.startup, from_ns(static_cast<double>(all) / spec_.freq_ghz));
}

Time PeMath::cost(const oplog::Op& op) const {
  std::int64_t elements = op.shape.elements();
  for (const oplog::Operand& input : op.inputs) elements = std::max(elements, input.shape.elements());
  return cost(elements, cycles(op));
}

std::int64_t PeMath::cycles(const oplog::Op& op) const {
  using oplog::OpKind;
  switch (op.kind) {
    case OpKind::unary:
      return transcendental(op.params.unary) ? spec_.transcendental_cycles : spec_.elementwise_cycles;
    case OpKind::reduce:
    case OpKind::cumsum:
    case OpKind::topk: return spec_.reduce_cycles;
    case OpKind::permute:
    case OpKind::broadcast:
    case OpKind::concat: return spec_.move_cycles;
    case OpKind::softmax:
      return 2 * spec_.reduce_cycles + spec_.transcendental_cycles + 2 * spec_.elementwise_cycles;
    default: return spec_.elementwise_cycles;
  }
}

Time PeGemm::tile_cost(std::int64_t m, std::int64_t k, std::int64_t n) const {
  const double macs = static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  return from_ns(std::ceil(macs / spec_.macs_per_ns * 1000.0) / 1000.0);
}

Time PeGemm::cost(const oplog::Op& dot, const GemmTile& tile) const {
  const Shape& a = dot.inputs[0].shape;
  const std::int64_t m = a[a.rank() - 2];
  const std::int64_t k = a[a.rank() - 1];
  const std::int64_t n = dot.shape[dot.shape.rank() - 1];
  const std::int64_t batches = dot.shape.elements() / (m * n);
  const std::int64_t tiles = ceil_div(m, tile.m) * ceil_div(k, tile.k) * ceil_div(n, tile.n);
  return times(batches * tiles, tile_cost(tile.m, tile.k, tile.n));
}

}  // namespace kbsim::hw
