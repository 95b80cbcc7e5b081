// An engine: outer products. Each cycle adds one column of A times one row of B to an array of accumulators.
#include <kbsim/hw/pe/i_gemm.hpp>
#include <kbsim/hw/pe/in_order_engine.hpp>

namespace mine {
namespace {

using kbsim::ceil_div, kbsim::Time;
using namespace kbsim::literals;
namespace hw = kbsim::hw;

struct OuterProductSpec {
  int rows = 64;
  int cols = 64;
  Time cycle = 1_ns;
  static void describe(auto& f) {
    f.add("rows", &OuterProductSpec::rows, kbsim::at_least(1), "rows of the array of accumulators");
    f.add("cols", &OuterProductSpec::cols, kbsim::at_least(1), "columns of the array of accumulators");
    f.add("cycle_ns", &OuterProductSpec::cycle, kbsim::kPositive, "an outer product on the whole array");
  }
};

/// One product at a time, in ceil(m / rows) * ceil(n / cols) blocks of the result, each k cycles and one to
/// read it out.
class OuterProduct final : public hw::InOrderEngine<hw::IGemm>, public hw::IRepeatable {
 public:
  OuterProduct(hw::Fabric& fabric, kbsim::NodeId id, OuterProductSpec spec)
      : InOrderEngine{fabric, id}, spec_{spec} {}

  [[nodiscard]] kbsim::Task<> run() override {
    for (;;) {
      hw::EngineJob* const job = co_await jobs().receive();
      co_await operands_of(*job);
      co_await busy(job->cost);
      report(*job);
    }
  }

  [[nodiscard]] double peak_macs_per_ns() const override {
    return static_cast<double>(spec_.rows) * spec_.cols / kbsim::to_ns(spec_.cycle);
  }
  [[nodiscard]] Time tile_cost(const hw::GemmTile& tile) const override {
    return kbsim::times(ceil_div(tile.m, spec_.rows) * ceil_div(tile.n, spec_.cols) * (tile.k + 1),
                        spec_.cycle);
  }
  // It takes products of any extents: the scheduler's tile doesn't matter.
  [[nodiscard]] Time cost(const kbsim::oplog::Op& dot, const hw::GemmTile&) const override {
    const hw::DotExtents extents = hw::extents(dot);
    return kbsim::times(extents.batches, tile_cost(extents.product));
  }

  // It keeps no state of its own, so equal layers of a model take equal times, and --bench llm skips them.
  void visit(hw::RepeatVisitor& visitor) override { visit_server(visitor); }

 private:
  OuterProductSpec spec_;
};
KBSIM_COMPONENT("mine.outer_product", NodeKind::pe_gemm, OuterProduct, OuterProductSpec,
                "matrix engine of outer products");

}  // namespace
}  // namespace mine
