// Lays out a machine from the outside in: system, packages, IO chiplet, cubes, PEs.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/sip_network.hpp"

#include "network_builder.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

constexpr std::array<std::string_view, 4> kSideNames{"e", "w", "n", "s"};  // of a cube's ports

// Rounded to the nearest nanometre: wires that are drawn equal are equal to the last bit, at any place.
double manhattan(Point a, Point b) {
  constexpr double kPerMm = 1e6;
  return std::round(kPerMm * (std::abs(a.x - b.x) + std::abs(a.y - b.y))) / kPerMm;
}

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }

}  // namespace

class Compiler : private NetworkBuilder {
 public:
  explicit Compiler(std::shared_ptr<const config::MachineSpec> spec)
      : NetworkBuilder{spec}, spec_{*spec}, network_{spec->system.sips} {}

  Graph compile() {
    const auto& models = spec_.system.components;
    graph_.host_ = add("host", NodeKind::host, models.host, {}, {-1, -1, -1});
    graph_.switch_ = add("switch", NodeKind::pcie_switch, models.pcie_switch, {}, {-1, -1, -1});
    join(graph_.host_, graph_.switch_, spec_.system.host_link);
    for (int sip = 0; sip < spec_.system.sips.count; ++sip) {
      graph_.sips_.push_back(make_sip(sip));
      if (sip == 0) expect(spec_.system.sips.count);  // the other packages are as large
    }
    join_sips();
    check_names();
    graph_.network_ = network_;
    return std::move(*this).build(network_.grid());
  }

 private:
  // A wire of stated length, or of the length between the positions.
  using NetworkBuilder::attach;
  using NetworkBuilder::join;
  void join(NodeId a, NodeId b, const config::WireSpec& wire) { join(a, b, wire.bandwidth, wire.length_mm); }
  void attach(NodeId router, NodeId node, const config::WireSpec& wire) {
    attach(router, node, wire.bandwidth, wire.length_mm);
  }
  void join_by_position(NodeId a, NodeId b, Bandwidth bandwidth) {
    join(a, b, bandwidth, manhattan(graph_.node(a).pos_mm, graph_.node(b).pos_mm));
  }

  [[nodiscard]] Point sip_origin(int sip) const {
    constexpr double kSpacing = 1.5;  // packages are half a package apart
    const double width = spec_.sip.cube_mesh.w * spec_.sip.cube_size.w_mm;
    const double height = (spec_.sip.cube_mesh.h + 1) * spec_.sip.cube_size.h_mm;
    const int columns = network_.grid().width();
    return {(sip % columns) * width * kSpacing, (sip / columns) * height * kSpacing};
  }

  SipNodes make_sip(int sip) {
    SipNodes nodes;
    make_io(sip, nodes);
    for (int cube = 0; cube < spec_.cubes_per_sip(); ++cube) nodes.cubes.push_back(make_cube(sip, cube));
    join_cubes(nodes);
    return nodes;
  }

  void make_io(int sip, SipNodes& nodes) {
    const PeCoord at{sip, -1, -1};
    const config::IoSpec& io = spec_.sip.io;
    const std::string prefix = fmt::format("sip{}.io.", sip);
    const Point origin = sip_origin(sip);
    nodes.pcie_ep = add(prefix + "pcie_ep", NodeKind::pcie_ep, io.pcie_ep, origin, at);
    nodes.io_cpu = add(prefix + "io_cpu", NodeKind::io_cpu, io.io_cpu, origin, at);
    for (int c = 0; c < spec_.sip.cube_mesh.w; ++c) {
      const Point pos = origin + Point{(c + 0.5) * spec_.sip.cube_size.w_mm, 0.5 * spec_.sip.cube_size.h_mm};
      nodes.io_noc.push_back(
          add(fmt::format(FMT_COMPILE("{}noc.r{}"), prefix, c), NodeKind::router, io.router, pos, at));
      nodes.io_ucie.push_back(
          add(fmt::format("{}ucie{}", prefix, c), NodeKind::ucie, spec_.sip.ucie, pos, at));
      join(nodes.io_noc.back(), nodes.io_ucie.back(), io.link);
      reach(nodes.io_noc.back(), {.router = nodes.io_noc.back()});
      reach(nodes.io_ucie.back(), {.up = nodes.io_noc.back()});
      if (c > 0) join(nodes.io_noc[static_cast<std::size_t>(c) - 1], nodes.io_noc.back(), io.link);
    }
    join(graph_.switch_, nodes.pcie_ep, spec_.system.host_link);
    attach(nodes.io_noc.front(), nodes.pcie_ep, io.link);
    attach(nodes.io_noc.front(), nodes.io_cpu, io.link);
    make_ports(sip, nodes);
    make_parts(io.parts, prefix, nodes.io_noc.front(), at);
  }

  // The ports at the ends of the IO NOC.
  void make_ports(int sip, SipNodes& nodes) {
    for (const SipPort& port : network_.ports(sip)) {
      const NodeId router = port.at_last_router ? nodes.io_noc.back() : nodes.io_noc.front();
      nodes.ports.push_back(add(fmt::format("sip{}.io.port_{}", sip, port.name), NodeKind::ucie,
                                spec_.sip.ucie, graph_.node(router).pos_mm, {sip, -1, -1}));
      join(router, nodes.ports.back(), spec_.sip.io.link);
      reach(nodes.ports.back(), {.up = router});
    }
  }

  void join_sips() {
    const config::WireSpec& wire = spec_.system.sips.link;
    for (const auto& [sip, nodes] : views::zip(views::iota(0), graph_.sips_)) {
      for (const auto& [port, here] : views::zip(network_.ports(sip), nodes.ports)) {
        if (!port.begins) continue;
        const NodeId there = graph_.sips_[static_cast<std::size_t>(port.peer)].ports[port.peer_port];
        if (network_.one_way()) {
          add_link(here, there, wire.bandwidth, wire.length_mm);
        } else {
          join(here, there, wire);
        }
      }
    }
  }

  CubeNodes make_cube(int sip, int cube) {
    const config::SizeSpec& size = spec_.sip.cube_size;
    const int column = cube % spec_.sip.cube_mesh.w;
    const int row = cube / spec_.sip.cube_mesh.w;
    const Point origin = sip_origin(sip) + Point{column * size.w_mm, (row + 1) * size.h_mm};
    CubeNodes nodes;
    make_noc(sip, cube, origin, nodes);
    make_shared_nodes(sip, cube, origin, nodes);
    for (int pe = 0; pe < spec_.pes_per_cube(); ++pe) make_pe({sip, cube, pe}, nodes);
    return nodes;
  }

  [[nodiscard]] NodeId router(const CubeNodes& cube, int row, int column) const {
    return cube.noc[static_cast<std::size_t>(row * spec_.cube.noc.w + column)];
  }

  void make_noc(int sip, int cube, Point origin, CubeNodes& nodes) {
    const config::NocSpec& noc = spec_.cube.noc;
    const config::SizeSpec& size = spec_.sip.cube_size;
    for (const auto [r, c] : views::cartesian_product(views::indices(noc.h), views::indices(noc.w))) {
      const Point pos = origin + Point{(c + 0.5) * size.w_mm / noc.w, (r + 0.5) * size.h_mm / noc.h};
      nodes.noc.push_back(add(fmt::format(FMT_COMPILE("sip{}.cube{}.noc.r{}_{}"), sip, cube, r, c),
                              NodeKind::router, noc.router, pos, {sip, cube, -1}));
      reach(nodes.noc.back(), {.router = nodes.noc.back()});
      if (c > 0) join_by_position(router(nodes, r, c - 1), nodes.noc.back(), noc.link);
      if (r > 0) join_by_position(router(nodes, r - 1, c), nodes.noc.back(), noc.link);
    }
  }

  void make_shared_nodes(int sip, int cube, Point origin, CubeNodes& nodes) {
    const config::NocSpec& noc = spec_.cube.noc;
    const config::SizeSpec& size = spec_.sip.cube_size;
    const std::string prefix = fmt::format(FMT_COMPILE("sip{}.cube{}."), sip, cube);
    const PeCoord at{sip, cube, -1};
    const Point center = origin + Point{0.5 * size.w_mm, 0.5 * size.h_mm};
    const std::array<NodeId, 4> edges{router(nodes, noc.h / 2, noc.w - 1), router(nodes, noc.h / 2, 0),
                                      router(nodes, 0, noc.w / 2), router(nodes, noc.h - 1, noc.w / 2)};
    for (const Side side : kSides) {
      const NodeId edge = edges[index(side)];
      nodes.ucie[index(side)] = add(fmt::format(FMT_COMPILE("{}ucie_{}"), prefix, kSideNames[index(side)]),
                                    NodeKind::ucie, spec_.sip.ucie, graph_.node(edge).pos_mm, at);
      join(edge, nodes.ucie[index(side)], noc.link, 0.0);
      reach(nodes.ucie[index(side)], {.up = edge});
    }
    nodes.m_cpu = add(prefix + "m_cpu", NodeKind::m_cpu, spec_.cube.m_cpu, center, at);
    nodes.sram = add(prefix + "sram", NodeKind::sram, spec_.cube.sram, center, at);
    nodes.xbar = add(prefix + "xbar", NodeKind::xbar, spec_.cube.xbar, center, at);
    const NodeId middle = router(nodes, noc.h / 2, noc.w / 2);
    for (const NodeId node : {nodes.m_cpu, nodes.sram}) {
      join_by_position(node, middle, noc.link);
      reach(node, {.up = middle, .router = middle});
    }
    make_parts(spec_.cube.parts, prefix, middle, at);
  }

  void make_parts(const config::PartsSpec& parts, const std::string& prefix, NodeId router, PeCoord at) {
    for (const auto& [name, part] : parts) {
      const NodeId node = add(prefix + name, NodeKind::part, part.model, graph_.node(router).pos_mm, at);
      NetworkBuilder::attach(router, node, part.link, 0.0);
    }
  }

  // Only a custom part can have another node's name.
  void check_names() const {
    if (std::ranges::find(graph_.nodes(), NodeKind::part, &Node::kind) == graph_.nodes().end()) return;
    std::map<std::string_view, const Node*> nodes;
    for (const Node& node : graph_.nodes()) {
      const auto [known, fresh] = nodes.try_emplace(node.name, &node);
      if (fresh) continue;
      const Node& part = node.kind == NodeKind::part ? node : *known->second;
      throw ConfigError{part.model->at, part.name, "another node has this name"};
    }
  }

  // PE `pe` of the layout's corner list. The PEs of a corner are side by side along their half of its row; if
  // there are more PEs than routers, they share these evenly.
  [[nodiscard]] NodeId pe_router(int pe, const CubeNodes& cube) const {
    const config::NocSpec& noc = spec_.cube.noc;
    const config::PeLayoutSpec& layout = spec_.cube.pe_layout;
    const config::Corner corner = layout.corners[static_cast<std::size_t>(pe / layout.pe_per_corner)];
    const int half = (noc.w + 1) / 2;
    const int step = pe % layout.pe_per_corner % half;
    const int row = is_north(corner) ? 0 : noc.h - 1;
    return router(cube, row, is_west(corner) ? step : noc.w - 1 - step);
  }

  void make_pe(PeCoord at, CubeNodes& cube) {
    const config::PeSpec& pe = spec_.pe;
    const std::string prefix = to_string(at) + ".";
    const NodeId router = pe_router(at.pe, cube);
    const Point pos = graph_.node(router).pos_mm;
    const auto unit = [&](NodeKind kind, const ComponentSpec& model) {
      return add(prefix + std::string{to_string(kind)}, kind, model, pos, at);
    };
    const PeNodes nodes{.cpu = unit(NodeKind::pe_cpu, pe.pe_cpu),
                        .scheduler = unit(NodeKind::pe_scheduler, pe.pe_scheduler),
                        .dma = unit(NodeKind::pe_dma, pe.pe_dma),
                        .gemm = unit(NodeKind::pe_gemm, pe.pe_gemm),
                        .math = unit(NodeKind::pe_math, pe.pe_math),
                        .tcm = unit(NodeKind::pe_tcm, pe.pe_tcm),
                        .mmu = unit(NodeKind::pe_mmu, pe.pe_mmu),
                        .ipcq = unit(NodeKind::pe_ipcq, pe.pe_ipcq),
                        .router = router};
    const NodeId slice = add(fmt::format(FMT_COMPILE("sip{}.cube{}.hbm{}"), at.sip, at.cube, at.pe),
                             NodeKind::hbm_ctrl, spec_.cube.hbm_ctrl, pos, {at.sip, at.cube, at.pe});
    for (const NodeId port : {nodes.dma, nodes.cpu}) join(port, router, pe.link, 0.0);
    for (const NodeId buffer : {nodes.tcm, nodes.ipcq}) join(nodes.dma, buffer, pe.link, 0.0);
    join(nodes.cpu, nodes.mmu, pe.link, 0.0);
    join_by_position(nodes.dma, cube.xbar, pe.link);
    join_by_position(cube.xbar, slice, spec_.cube.xbar_to_hbm);
    if (!is_joined(router, cube.xbar)) join_by_position(router, cube.xbar, spec_.cube.noc.link);
    reach(nodes.dma, {.up = router, .router = router, .xbar = cube.xbar});
    reach(nodes.tcm, {.up = nodes.dma, .router = router, .xbar = cube.xbar});
    reach(nodes.ipcq, {.up = nodes.dma, .router = router});
    reach(nodes.cpu, {.up = router, .router = router});
    reach(nodes.mmu, {.up = nodes.cpu, .router = router});
    reach(slice, {.up = cube.xbar, .router = router, .xbar = cube.xbar, .is_memory = true});
    make_parts(pe.parts, prefix, router, at);
    cube.hbm.push_back(slice);
    cube.pes.push_back(nodes);
  }

  void join_cubes(const SipNodes& sip) {
    const int w = spec_.sip.cube_mesh.w;
    const config::WireSpec& wire = spec_.sip.ucie_link;
    const auto port = [&](int cube, Side side) {
      return sip.cubes[static_cast<std::size_t>(cube)].ucie[index(side)];
    };
    for (int cube = 0; cube < spec_.cubes_per_sip(); ++cube) {
      if (cube % w != w - 1) join(port(cube, Side::east), port(cube + 1, Side::west), wire);
      if (cube + w < spec_.cubes_per_sip()) join(port(cube, Side::south), port(cube + w, Side::north), wire);
      if (cube < w) join(sip.io_ucie[static_cast<std::size_t>(cube)], port(cube, Side::north), wire);
    }
  }

  const config::MachineSpec& spec_;
  SipNetwork network_;
};

Graph compile(std::shared_ptr<const config::MachineSpec> spec) { return Compiler{std::move(spec)}.compile(); }

}  // namespace kbsim::topology
