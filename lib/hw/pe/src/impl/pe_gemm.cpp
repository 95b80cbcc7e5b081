#include <algorithm>
#include <cmath>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/in_order_engine.hpp"

namespace kbsim::hw {
namespace {

struct PeGemmSpec {
  double macs_per_ns = 4096.0;
  Time tile_overhead{};
  double operand_bw_gbs = 0.0;
  static void describe(FieldList<PeGemmSpec>& f) {
    f.add("macs_per_ns", &PeGemmSpec::macs_per_ns, kPositive,
          "multiply-accumulates of the array in a nanosecond");
    f.add("tile_overhead_ns", &PeGemmSpec::tile_overhead, kNotNegative,
          "time of each tile beside its multiply-accumulates");
    f.add("operand_bw_gbs", &PeGemmSpec::operand_bw_gbs, kNotNegative,
          "rate at which a tile of each operand enters, both at once; 0: no limit");
  }
};

/// Matrix engine: one product at a time, whole tiles of m x k x n, padded, without fill or drain. A tile
/// takes the longer of its arithmetic, m k n / macs_per_ns + tile_overhead_ns, and of the entry of its larger
/// operand at operand_bw_gbs. Waits for its operands in TCM.
class PeGemm : public InOrderEngine<IGemm>, public IRepeatable {
 public:
  PeGemm(Fabric& fabric, NodeId id, PeGemmSpec spec) : InOrderEngine{fabric, id}, spec_{spec} {}

  [[nodiscard]] Task<> run() override;
  void visit(RepeatVisitor& visitor) override { visit_server(visitor); }
  [[nodiscard]] double peak_macs_per_ns() const override { return spec_.macs_per_ns; }
  [[nodiscard]] Time tile_cost(const GemmTile& tile) const override {
    return std::max(arithmetic(tile), entry(tile));
  }
  [[nodiscard]] Time cost(const oplog::Op& dot, const GemmTile& tile) const override {
    const auto [product, batches] = extents(dot);
    const std::int64_t tiles =
        ceil_div(product.m, tile.m) * ceil_div(product.k, tile.k) * ceil_div(product.n, tile.n);
    GemmTile one = tile;
    one.element_bytes = product.element_bytes;
    return times(batches * tiles, tile_cost(one));
  }

  // As if operands had two bytes, as most have; no terms of a cost that isn't one of whole tiles of them.
  [[nodiscard]] std::vector<CostTerm> cost_terms(Time cost, const GemmTile& tile) const override {
    const Time each = tile_cost(tile);
    if (spec_.operand_bw_gbs > 0 && times(cost / each, each) != cost) return {};
    const std::int64_t count = cost / each;
    if (entry(tile) > arithmetic(tile))
      return {{.key = "operand_bw_gbs",
               .unit = "GB/s",
               .value = spec_.operand_bw_gbs,
               .times = count,
               .work = entering(tile),
               .rounded_up = true}};
    std::vector<CostTerm> terms{{.key = "macs_per_ns",
                                 .unit = "MAC/ns",
                                 .value = spec_.macs_per_ns,
                                 .times = count,
                                 .work = tile.m * tile.k * tile.n,
                                 .rounded_up = true}};
    if (spec_.tile_overhead > Time{})
      terms.push_back(
          {.key = "tile_overhead_ns", .unit = "ns", .value = to_ns(spec_.tile_overhead), .times = count});
    return terms;
  }

 private:
  [[nodiscard]] Time arithmetic(const GemmTile& tile) const {
    const double macs =
        static_cast<double>(tile.m) * static_cast<double>(tile.k) * static_cast<double>(tile.n);
    return later(rounded_up(macs / spec_.macs_per_ns), spec_.tile_overhead);
  }
  [[nodiscard]] static std::int64_t entering(const GemmTile& tile) {
    return std::max(tile.m, tile.n) * tile.k * tile.element_bytes;
  }
  [[nodiscard]] Time entry(const GemmTile& tile) const {
    if (spec_.operand_bw_gbs == 0) return {};
    return rounded_up(static_cast<double>(entering(tile)) / spec_.operand_bw_gbs);
  }
  [[nodiscard]] static Time rounded_up(double ns) { return from_ns(std::ceil(ns * 1000.0) / 1000.0); }

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
