#include <fmt/format.h>

#include "kbsim/hw/pe/i_gemm.hpp"

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

struct Macs {
  double asked = 0.0;
  double done = 0.0;
};

// Products of operands in TCM, if the log keeps operations. A composite's product is known already.
void add_dots(Macs& macs, const FindingScene& scene) {
  const oplog::OpLog& log = scene.machine.log();
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const oplog::Op& op : log.ops(lane)) {
      const bool is_on_path = op.end > scene.what.path.begin && op.start < scene.what.path.end;
      if (!op.id.valid() || op.kind != oplog::OpKind::dot || !op.unit.valid() || !is_on_path) continue;
      const auto* const engine = scene.machine.component(op.unit).offers<hw::IGemm>();
      if (engine == nullptr) continue;
      const auto [product, batches] = hw::extents(op);
      macs.asked += static_cast<double>(batches) * static_cast<double>(product.m) *
                    static_cast<double>(product.k) * static_cast<double>(product.n);
      macs.done += to_ns(op.end - op.start) * engine->peak_macs_per_ns();
    }
  }
}

std::optional<Finding> tile_padding(const FindingScene& scene) {
  Macs macs;
  for (const hw::CompositeRecord* one : composites_on(scene.what.path, scene.machine)) {
    macs.asked += static_cast<double>(one->macs);
    macs.done += static_cast<double>(one->padded_macs);
  }
  if (macs.done == 0.0) add_dots(macs, scene);
  const topology::Graph& graph = scene.machine.graph();
  Segment longest{};
  const Time on_path = time_of(scene.what.path, [&](const Segment& one) {
    const bool is_gemm =
        one.reason == hw::Reason::engine && graph.node(NodeId{one.place}).kind == topology::NodeKind::pe_gemm;
    if (is_gemm && one.length() > longest.length()) longest = one;
    return is_gemm;
  });
  if (macs.done <= macs.asked || on_path == Time{0}) return std::nullopt;
  return Finding{.gain = rounded_time(static_cast<double>(on_path.count()) * (1.0 - macs.asked / macs.done)),
                 .evidence = fmt::format(
                     "{:.0f} MACs are asked for and {:.0f} done, {:.1f} times as many, in whole tiles; "
                     "matrix engines take {} of the path",
                     macs.asked, macs.done, macs.done / macs.asked, to_string(on_path)),
                 .place = graph.node(NodeId{longest.place}).name};
}
KBSIM_FINDING(tile_padding, {.title = "padding of tiles",
                             .doc = "matrix engine's time on the path x (1 - MACs asked / MACs done)",
                             .look = tile_padding});

}  // namespace
}  // namespace kbsim::explain
