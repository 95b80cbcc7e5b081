#include <cmath>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/in_order_engine.hpp"

namespace kbsim::hw {
namespace {

enum class Dataflow : std::uint8_t { weight_stationary, output_stationary, input_stationary };

struct PeGemmSystolicSpec {
  int rows = 64;
  int cols = 64;
  double freq_ghz = 1.0;
  Dataflow dataflow = Dataflow::weight_stationary;
  bool hide_preload = false;
  static void describe(FieldList<PeGemmSystolicSpec>& f) {
    f.add("rows", &PeGemmSystolicSpec::rows, at_least(1),
          "rows of the array, along k; along m if it is output-stationary");
    f.add("cols", &PeGemmSystolicSpec::cols, at_least(1),
          "columns of the array, along n; along m if it is input-stationary");
    f.add("freq_ghz", &PeGemmSystolicSpec::freq_ghz, kPositive, "clock");
    f.choice("dataflow", &PeGemmSystolicSpec::dataflow,
             {"weight_stationary", "output_stationary", "input_stationary"},
             "stays in the array during a fold: a block of B (k x n), of the product, or of A (m x k)");
    f.add("hide_preload", &PeGemmSystolicSpec::hide_preload,
          "the block of the next fold enters while this one works: all but a product's first preload are "
          "hidden; not with output_stationary, which preloads nothing");
  }
};

/// Systolic array, one product of m x k by k x n at a time. The operand or result that stays in the array is
/// divided into blocks of rows x cols, the folds; the third extent streams through, t elements a fold:
///
///                       along rows   along columns   t
///   weight_stationary   k            n               m
///   output_stationary   m            n               k
///   input_stationary    k            m               n
///
/// A fold takes t + rows + cols - 2 cycles (fill, stream and drain); before it an operand that stays is
/// preloaded in `rows` cycles. A fold at an edge takes as long as a full one. Partial sums of k are added on
/// their way out; sums that stay leave in the cycle in which each is complete. Source: Samajdar et al.,
/// SCALE-Sim (ISPASS 2020), whose tool counts one cycle less a product: it leaves out the last one. The
/// paper's formula for output-stationary has `rows` more cycles a fold, to shift sums out; the tool doesn't.
class PeGemmSystolic : public InOrderEngine<IGemm> {
 public:
  PeGemmSystolic(Fabric& fabric, NodeId id, PeGemmSystolicSpec spec)
      : InOrderEngine{fabric, id}, spec_{spec} {
    if (!spec.hide_preload || preloads()) return;
    throw ConfigError{node().model->place_of({"hide_preload", "dataflow"}), name() + ".hide_preload",
                      "has no effect with dataflow: output_stationary, which preloads nothing; leave it out "
                      "or choose weight_stationary or input_stationary"};
  }

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
  // Extents of a product along the array, and through it.
  struct Laid {
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::int64_t through = 1;
  };
  [[nodiscard]] Laid laid(const GemmTile& product) const {
    switch (spec_.dataflow) {
      case Dataflow::output_stationary: return {product.m, product.n, product.k};
      case Dataflow::input_stationary: return {product.k, product.m, product.n};
      case Dataflow::weight_stationary: break;
    }
    return {product.k, product.n, product.m};
  }
  [[nodiscard]] bool preloads() const { return spec_.dataflow != Dataflow::output_stationary; }
  // As a double: simulated time, which is checked, ends long before its whole numbers do.
  [[nodiscard]] double cycles(const GemmTile& product) const {
    const Laid laid = this->laid(product);
    const double folds = static_cast<double>(ceil_div(laid.rows, spec_.rows)) *
                         static_cast<double>(ceil_div(laid.cols, spec_.cols));
    const double stream = static_cast<double>(laid.through) + spec_.rows + spec_.cols - 2.0;
    const double preloads = !this->preloads() ? 0.0 : spec_.hide_preload ? 1.0 : folds;
    return preloads * spec_.rows + folds * stream;
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
                "systolic array with a dataflow, with fill and drain");

}  // namespace kbsim::hw
