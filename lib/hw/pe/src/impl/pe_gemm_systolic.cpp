#include <cmath>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/in_order_engine.hpp"

namespace kbsim::hw {
namespace {

struct PeGemmSystolicSpec {
  int rows = 64;
  int cols = 64;
  double freq_ghz = 1.0;
  bool hide_preload = false;
  static void describe(FieldList<PeGemmSystolicSpec>& f) {
    f.add("rows", &PeGemmSystolicSpec::rows, at_least(1), "rows of the array, along k");
    f.add("cols", &PeGemmSystolicSpec::cols, at_least(1), "columns of the array, along n");
    f.add("freq_ghz", &PeGemmSystolicSpec::freq_ghz, kPositive, "clock");
    f.add(
        "hide_preload", &PeGemmSystolicSpec::hide_preload,
        "weights of the next fold enter while this one works: all but a product's first preload are hidden");
  }
};

/// Weight-stationary systolic array, one product at a time. A product folds into ceil(k / rows) * ceil(n /
/// cols) blocks of weights. Each is preloaded in `rows` cycles; then m rows stream through in m + rows + cols
/// - 2 (fill and drain). A fold at an edge takes as long as a full one, and partial sums of k are added on
/// their way out. Source: Samajdar et al., SCALE-Sim (ISPASS 2020), (2 rows + cols + m - 2) cycles a fold.
class PeGemmSystolic : public InOrderEngine<IGemm> {
 public:
  PeGemmSystolic(Fabric& fabric, NodeId id, PeGemmSystolicSpec spec)
      : InOrderEngine{fabric, id}, spec_{spec} {}

  [[nodiscard]] Task<> run() override;
  [[nodiscard]] double peak_macs_per_ns() const override {
    return static_cast<double>(spec_.rows) * spec_.cols * spec_.freq_ghz;
  }
  [[nodiscard]] Time tile_cost(const GemmTile& tile) const override { return took(cycles(tile)); }
  [[nodiscard]] Time cost(const oplog::Op& dot, const GemmTile&) const override {
    const auto [product, batches] = extents(dot);
    return took(static_cast<double>(batches) * cycles(product));
  }
  [[nodiscard]] std::vector<CostTerm> cost_terms(Time cost, const GemmTile&) const override {
    return {{.key = "freq_ghz",
             .unit = "GHz",
             .value = spec_.freq_ghz,
             .times = 1,
             .work = std::llround(to_ns(cost) * spec_.freq_ghz)}};
  }

 private:
  // As a double: simulated time, which is checked, ends long before its whole numbers do.
  [[nodiscard]] double cycles(const GemmTile& product) const {
    const double folds = static_cast<double>(ceil_div(product.k, spec_.rows)) *
                         static_cast<double>(ceil_div(product.n, spec_.cols));
    const double stream = static_cast<double>(product.m) + spec_.rows + spec_.cols - 2.0;
    return (spec_.hide_preload ? 1.0 : folds) * spec_.rows + folds * stream;
  }
  [[nodiscard]] Time took(double cycles) const { return from_ns(cycles / spec_.freq_ghz); }

  PeGemmSystolicSpec spec_;
};

Task<> PeGemmSystolic::run() {
  for (;;) {
    EngineJob* const job = co_await jobs().receive();
    co_await operands_of(*job);
    co_await busy(job->cost);
    report(*job);
  }
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_gemm_systolic", NodeKind::pe_gemm, PeGemmSystolic, PeGemmSystolicSpec,
                "weight-stationary systolic array, with fill and drain");

}  // namespace kbsim::hw
