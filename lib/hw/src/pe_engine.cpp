#include "kbsim/hw/pe_engine.hpp"

#include <cmath>

#include "kbsim/hw/machine.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_math", NodeKind::pe_math, PeMath, PeMathSpec, "vector engine of a PE");
KBSIM_COMPONENT("builtin.pe_gemm", NodeKind::pe_gemm, PeGemm, PeGemmSpec, "matrix engine of a PE");

PeEngine::PeEngine(Fabric& fabric, NodeId id)
    : Component{fabric, id}, retired_{fabric.sim(), name() + " retire"} {}

void PeEngine::start(Machine& machine) { (void)sim().serve(name(), retire(&machine.log())); }

Time PeEngine::issue(Time earliest, Time cost, oplog::Op op) {
  op.unit = id();
  op.start = std::max(earliest, free_);
  op.end = op.start + cost;
  free_ = op.end;
  busy_ += cost;
  const Time end = op.end;
  retired_.post(end, std::move(op));
  return end;
}

Task<> PeEngine::retire(oplog::OpLog* log) {
  for (;;) {
    oplog::Op op = co_await retired_.receive();
    log->record(std::move(op));
  }
}

Time PeMath::cost(std::int64_t elements) const {
  const std::int64_t cycles = ceil_div(elements, spec_.lanes);
  return spec_.startup + from_ns(static_cast<double>(cycles) / spec_.freq_ghz);
}

Time PeGemm::tile_cost(std::int64_t m, std::int64_t k, std::int64_t n) const {
  return from_ns(std::ceil(static_cast<double>(m * k * n) / spec_.macs_per_ns * 1000.0) / 1000.0);
}

}  // namespace kbsim::hw
