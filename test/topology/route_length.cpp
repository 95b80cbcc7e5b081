#include <cstdlib>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

constexpr int kCrossing = 3;  // router, port, the other die's port, its router

/// A router's place: column and row of its cube (row -1: the IO NOC), row and column on its NOC.
struct Place {
  int sip, x, y, r, c;
};

int distance(int r1, int c1, int r2, int c2) { return std::abs(r1 - r2) + std::abs(c1 - c2); }

/// Links that lie between an end and its router.
int depth(NodeKind kind) {
  switch (kind) {
    case NodeKind::hbm_ctrl:
    case NodeKind::pe_tcm:
    case NodeKind::pe_mmu:
    case NodeKind::pe_ipcq: return 2;
    default: return 1;
  }
}

class Lengths {
 public:
  explicit Lengths(const Graph& graph) : graph_{graph}, grid_{graph.spec().system.sips} {
    const config::MachineSpec& spec = graph.spec();
    mesh_ = spec.sip.cube_mesh;
    w_ = spec.cube.noc.w;
    h_ = spec.cube.noc.h;
  }

  [[nodiscard]] int between(NodeId from, NodeId to) const {
    const Node& a = graph_.node(from);
    const Node& b = graph_.node(to);
    if (from == to) return 0;
    if (a.kind == NodeKind::host) return by_host(routers(gate(b.at.sip), place(b)), b.kind);
    if (b.kind == NodeKind::host) return by_host(routers(place(a), gate(a.at.sip)), a.kind);
    if (a.at == b.at && a.at.pe >= 0) return within_pe(a.kind, b.kind);
    if (a.at.sip == b.at.sip && a.at.cube == b.at.cube && uses_xbar(a.kind, b.kind))
      return at_xbar(a.kind) + at_xbar(b.kind);
    return depth(a.kind) + routers(place(a), place(b)) + depth(b.kind);
  }

 private:
  static bool is_data(NodeKind k) { return k == NodeKind::pe_dma || k == NodeKind::pe_tcm; }
  static bool uses_xbar(NodeKind a, NodeKind b) {
    const bool hbm_a = a == NodeKind::hbm_ctrl;
    const bool hbm_b = b == NodeKind::hbm_ctrl;
    return (hbm_a && hbm_b) || (hbm_a && is_data(b)) || (is_data(a) && hbm_b);
  }
  static int at_xbar(NodeKind kind) { return kind == NodeKind::pe_tcm ? 2 : 1; }

  // Hops to the DMA: itself 0, TCM and IPCQ 1. Hops to the CPU: itself 0, MMU 1. A router joins the two.
  static int within_pe(NodeKind a, NodeKind b) {
    if (uses_xbar(a, b)) return at_xbar(a) + at_xbar(b);
    const auto at_cpu = [](NodeKind k) { return k == NodeKind::pe_cpu || k == NodeKind::pe_mmu; };
    const bool hbm = a == NodeKind::hbm_ctrl || b == NodeKind::hbm_ctrl;
    if (hbm || at_cpu(a) != at_cpu(b)) return depth(a) + depth(b);
    return depth(a) + depth(b) - 2;
  }

  // Through the switch and PCIE_EP, which stands at the first router of the IO NOC.
  [[nodiscard]] static int by_host(int on_routers, NodeKind end) { return 2 + 1 + on_routers + depth(end); }
  [[nodiscard]] static Place gate(int sip) { return {sip, 0, -1, 0, 0}; }

  [[nodiscard]] Place place(const Node& end) const {
    if (end.at.cube < 0) return gate(end.at.sip);
    const CubeNodes& cube = graph_.cube(end.at.sip, end.at.cube);
    int cell = h_ / 2 * w_ + w_ / 2;  // M_CPU and SRAM
    if (end.at.pe >= 0) {
      const NodeId router = graph_.pe(end.at).router;
      cell = static_cast<int>(std::ranges::find(cube.noc, router) - cube.noc.begin());
    }
    return {end.at.sip, end.at.cube % mesh_.w, end.at.cube / mesh_.w, cell / w_, cell % w_};
  }

  [[nodiscard]] int routers(const Place& a, const Place& b) const {
    return a.sip == b.sip ? in_sip(a, b) : across_sips(a, b);
  }

  // Within a package: to the port, straight through cubes, one turn, from the port.
  [[nodiscard]] int in_sip(const Place& a, const Place& b) const {
    if (a.y < 0 && b.y < 0) return std::abs(a.x - b.x);
    if (a.y < 0) return std::abs(a.x - b.x) + in_column(b, h_ - 1);
    const int dx = std::abs(a.x - b.x);
    const int dy = std::abs(a.y - b.y);
    if (dx == 0 && dy == 0) return distance(a.r, a.c, b.r, b.c);
    const int leave_c = b.x > a.x ? w_ - 1 : 0;
    const int enter_c = w_ - 1 - leave_c;
    const int leave_r = b.y > a.y ? h_ - 1 : 0;
    const int enter_r = h_ - 1 - leave_r;
    const int x_part = dx == 0 ? 0 : distance(a.r, a.c, h_ / 2, leave_c) + (dx - 1) * (w_ - 1);
    const int turn =
        dx == 0 ? distance(a.r, a.c, leave_r, w_ / 2) : distance(h_ / 2, enter_c, leave_r, w_ / 2);
    if (dy == 0) return x_part + kCrossing * dx + distance(h_ / 2, enter_c, b.r, b.c);
    const int last = b.y < 0 ? 0 : distance(enter_r, w_ / 2, b.r, b.c);
    return x_part + turn + (dy - 1) * (h_ - 1) + last + kCrossing * (dx + dy);
  }

  // Down from the IO NOC above the column.
  [[nodiscard]] int in_column(const Place& b, int through) const {
    return kCrossing * (b.y + 1) + b.y * through + distance(0, w_ / 2, b.r, b.c);
  }

  // The ports to the west and north stand at the first column of the IO NOC, the others at the last.
  [[nodiscard]] Place port(int sip, Side side) const {
    const bool last = side == Side::east || side == Side::south;
    return {sip, last ? mesh_.w - 1 : 0, -1, 0, 0};
  }

  [[nodiscard]] int across_sips(Place a, const Place& b) const {
    int links = 0;
    while (a.sip != b.sip) {
      const Side side = grid_.next_side(a.sip, b.sip);
      links += in_sip(a, port(a.sip, side)) + kCrossing;
      a = port(grid_.neighbour(a.sip, side).value(), opposite(side));
    }
    return links + in_sip(a, b);
  }

  const Graph& graph_;
  SipGrid grid_;
  config::ExtentSpec mesh_;
  int w_ = 0;
  int h_ = 0;
};

}  // namespace

TEST_CASE("Routes: their lengths are those of the closed form, for any machine and pair") {
  for (unsigned seed = 0; seed < kMachines; ++seed) {
    CAPTURE(seed);
    const Graph graph = graph_of(random_machine(seed));
    const Lengths lengths{graph};
    Routes routes{graph};
    const std::vector<NodeId> all = ends(graph);
    Dice dice{seed + 1000};
    for (int i = 0; i < 500; ++i) {
      const NodeId from = dice.one_of(all);
      const NodeId to = dice.one_of(all);
      INFO(path_names(graph, from, to));
      CHECK(static_cast<int>(routes(from, to).size()) == lengths.between(from, to));
    }
  }
}
