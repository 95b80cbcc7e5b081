#include <cmath>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/in_order_engine.hpp"

namespace kbsim::hw {
namespace {

struct PeGemmSpec {
  double macs_per_ns = 4096.0;
  static void describe(FieldList<PeGemmSpec>& f) {
    f.add("macs_per_ns", &PeGemmSpec::macs_per_ns, kPositive,
          "multiply-accumulates of the array in a nanosecond");
  }
};

/// Matrix engine: one product at a time, whole tiles of m x k x n, padded, at macs_per_ns, without fill or
/// drain. Waits for its operands in TCM.
class PeGemm : public InOrderEngine<IGemm>, public IRepeatable {
 public:
  PeGemm(Fabric& fabric, NodeId id, PeGemmSpec spec) : InOrderEngine{fabric, id}, spec_{spec} {}

  [[nodiscard]] Task<> run() override;
  void visit(RepeatVisitor& visitor) override { visit_server(visitor); }
  [[nodiscard]] double peak_macs_per_ns() const override { return spec_.macs_per_ns; }
  [[nodiscard]] Time tile_cost(const GemmTile& tile) const override {
    const double macs =
        static_cast<double>(tile.m) * static_cast<double>(tile.k) * static_cast<double>(tile.n);
    return from_ns(std::ceil(macs / spec_.macs_per_ns * 1000.0) / 1000.0);
  }
  [[nodiscard]] Time cost(const oplog::Op& dot, const GemmTile& tile) const override {
    const auto [product, batches] = extents(dot);
    const std::int64_t tiles =
        ceil_div(product.m, tile.m) * ceil_div(product.k, tile.k) * ceil_div(product.n, tile.n);
    return times(batches * tiles, tile_cost(tile));
  }

  [[nodiscard]] std::vector<CostTerm> cost_terms(Time cost, const GemmTile& tile) const override {
    return {{.key = "macs_per_ns",
             .unit = "MAC/ns",
             .value = spec_.macs_per_ns,
             .times = cost / tile_cost(tile),
             .work = tile.m * tile.k * tile.n,
             .rounded_up = true}};
  }

 private:
  PeGemmSpec spec_;
};

Task<> PeGemm::run() {
  for (;;) {
    EngineJob* const job = co_await jobs().receive();
    co_await operands_of(*job);
    co_await busy(job->cost);
    report(*job);
  }
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_gemm", NodeKind::pe_gemm, PeGemm, PeGemmSpec, "matrix engine of a PE");

}  // namespace kbsim::hw
