// Lays out a machine from the outside in: system, packages, IO chiplet, cubes, PEs.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/enumerate.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/sip_network.hpp"

#include "network_builder.hpp"
#include "slot_circles.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

// Axes of rings of packages, beside those of routers.
constexpr int kRowOfPackages = 3;
constexpr int kColumnOfPackages = 4;
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
      : NetworkBuilder{spec}, spec_{*spec}, network_{spec->system.sips} {
    graph_.plan_ = config::floor_plan(spec_.cube);
    graph_.routers_of_network_ = static_cast<std::uint32_t>(std::ranges::count(graph_.plan_.routers, true));
  }

  Graph compile() {
    const auto& models = spec_.system.components;
    graph_.host_ = add("host", NodeKind::host, models.host, {}, {-1, -1, -1});
    graph_.switch_ = add("switch", NodeKind::pcie_switch, models.pcie_switch, {}, {-1, -1, -1});
    join(graph_.host_, graph_.switch_, spec_.system.host_link);
    for (int sip = 0; sip < spec_.system.sips.count; ++sip) {
      graph_.sips_.push_back(make_sip(sip));
      if (sip == 0) expect(spec_.system.sips.count);  // the other packages are as large
    }
    make_switches();
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

  void make_switches() {
    for (const std::string& name : network_.switches())
      graph_.switches_.push_back(
          add(name, NodeKind::router, spec_.system.sips.switch_model, {}, {-1, -1, -1}));
  }

  // The end of a wire between packages: a port of a package, or a switch.
  [[nodiscard]] NodeId end_of_wire(int member, std::size_t port) const {
    return network_.is_switch(member) ? graph_.switches_[network_.switch_number(member)]
                                      : graph_.sips_[static_cast<std::size_t>(member)].ports[port];
  }

  void join_sips() {
    for (int member = 0; member < network_.members(); ++member) {
      for (const auto& [number, port] : views::enumerate(network_.ports(member))) {
        if (!port.begins) continue;
        const NodeId here = end_of_wire(member, number);
        const NodeId there = end_of_wire(port.peer, port.peer_port);
        const config::ChipLinkSpec& wire = network_.wire(spec_.system.sips, port);
        const int columns = network_.grid().width();
        const bool along_row = member / columns == port.peer / columns;
        const int axis = !spec_.system.sips.bubble ? 0 : along_row ? kRowOfPackages : kColumnOfPackages;
        const auto lead = [&](NodeId from, NodeId to) {
          add_link(from, to, wire);
          orient_link(axis, false);
        };
        lead(here, there);
        if (!network_.one_way()) lead(there, here);
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

  [[nodiscard]] static NodeId router(const CubeNodes& cube, int number) {
    return cube.noc[static_cast<std::size_t>(number)];
  }

  void make_noc(int sip, int cube, Point origin, CubeNodes& nodes) {
    for (int network = 0; network < spec_.cube.noc.networks(); ++network) {
      const std::vector<NodeId> routers = make_network({sip, cube, -1}, network, origin);
      if (network == 0) nodes.noc = routers;
      if (spec_.cube.noc.wrap) join_rings(routers, network);
    }
  }

  // The routers of a network, row by row, and its links where it doesn't wrap.
  std::vector<NodeId> make_network(PeCoord at, int network, Point origin) {
    const config::NocSpec& noc = spec_.cube.noc;
    const config::SizeSpec& size = spec_.sip.cube_size;
    const std::string prefix = fmt::format(FMT_COMPILE("sip{}.cube{}.noc{}."), at.sip, at.cube,
                                           network == 0 ? "" : std::to_string(network));
    std::vector<NodeId> routers;
    for (const auto [r, c] : views::cartesian_product(views::indices(noc.h), views::indices(noc.w))) {
      const auto number = static_cast<std::size_t>(r * noc.w + c);
      routers.emplace_back();
      if (!graph_.plan_.routers[number]) continue;
      const Point pos = origin + Point{(c + 0.5) * size.w_mm / noc.w, (r + 0.5) * size.h_mm / noc.h};
      routers.back() =
          add(fmt::format(FMT_COMPILE("{}r{}_{}"), prefix, r, c), NodeKind::router, noc.router, pos, at);
      reach(routers.back(), {.router = routers.back()});
      if (noc.wrap) continue;
      if (c > 0) join_routers(routers[number - 1], routers.back());
      if (r > 0) join_routers(routers[number - static_cast<std::size_t>(noc.w)], routers.back());
    }
    return routers;
  }

  // A wire from a node to the router of each network.
  template <class Join>
  void on_all_networks(NodeId router, Join join_one) {
    for (int network = 0; network < spec_.cube.noc.networks(); ++network)
      join_one(graph_.on_network(router, network));
  }

  void join_routers(NodeId a, NodeId b) {
    if (a.valid() && b.valid()) join_by_position(a, b, spec_.cube.noc.link);
  }

  // Each router with the next one of its row and of its column, round the ring. A ring of two has one wire
  // each way.
  void join_rings(const std::vector<NodeId>& routers, int network) {
    const config::NocSpec& noc = spec_.cube.noc;
    constexpr int kAlongRow = 1;
    constexpr int kAlongColumn = 2;
    for (const auto [r, c] : views::cartesian_product(views::indices(noc.h), views::indices(noc.w))) {
      const auto at = [&](int row, int column) {
        return routers[static_cast<std::size_t>(row * noc.w + column)];
      };
      const NodeId east = at(r, (c + 1) % noc.w);
      const NodeId south = at((r + 1) % noc.h, c);
      join_ring(at(r, c), east, {kAlongRow, c == noc.w - 1, noc.w, network});
      join_ring(at(r, c), south, {kAlongColumn, r == noc.h - 1, noc.h, network});
    }
  }

  struct Ring {
    int axis;
    bool closes;
    int size;
    int network;
  };
  void join_ring(NodeId here, NodeId next, const Ring& ring) {
    using enum config::NocLinks;
    if (ring.size == 1 || !here.valid() || !next.valid()) return;
    const config::NocSpec& noc = spec_.cube.noc;
    const config::SizeSpec& cube = spec_.sip.cube_size;
    const double pitch = ring.axis == 1 ? cube.w_mm / noc.w : cube.h_mm / noc.h;
    const config::NocLinks links = noc.links[static_cast<std::size_t>(ring.network)];
    if (links == east_south || links == both) {
      add_link(here, next, noc.link, pitch);
      orient_link(ring.axis, ring.closes);
    }
    const bool twice = links == both && ring.size == 2;
    if (links == north_west || (links == both && !twice)) {
      add_link(next, here, noc.link, pitch);
      orient_link(ring.axis, ring.closes);
    }
  }

  void make_shared_nodes(int sip, int cube, Point origin, CubeNodes& nodes) {
    const config::NocSpec& noc = spec_.cube.noc;
    const config::SizeSpec& size = spec_.sip.cube_size;
    const config::FloorPlan& plan = graph_.plan_;
    const std::string prefix = fmt::format(FMT_COMPILE("sip{}.cube{}."), sip, cube);
    const PeCoord at{sip, cube, -1};
    const Point center = origin + Point{0.5 * size.w_mm, 0.5 * size.h_mm};
    for (const Side side : kSides) {
      const NodeId edge = router(nodes, plan.ports[index(side)]);
      nodes.ucie[index(side)] = add(fmt::format(FMT_COMPILE("{}ucie_{}"), prefix, kSideNames[index(side)]),
                                    NodeKind::ucie, spec_.sip.ucie, graph_.node(edge).pos_mm, at);
      on_all_networks(edge, [&](NodeId by) { join(by, nodes.ucie[index(side)], noc.link, 0.0); });
      reach(nodes.ucie[index(side)], {.up = edge});
    }
    const auto shared = [&](const char* name, NodeKind kind, const ComponentSpec& model, int number,
                            const config::PlanPlaceSpec& given) {
      const NodeId by = router(nodes, number);
      return std::pair{
          add(prefix + name, kind, model, given.at.empty() ? center : graph_.node(by).pos_mm, at), by};
    };
    const config::FloorPlanSpec& places = spec_.cube.floorplan;
    const auto m_cpu = shared("m_cpu", NodeKind::m_cpu, spec_.cube.m_cpu, plan.m_cpu, places.m_cpu);
    const auto sram = shared("sram", NodeKind::sram, spec_.cube.sram, plan.sram, places.sram);
    nodes.m_cpu = m_cpu.first;
    nodes.sram = sram.first;
    if (plan.channels.empty()) nodes.xbar = add(prefix + "xbar", NodeKind::xbar, spec_.cube.xbar, center, at);
    for (const auto& [node, by] : {m_cpu, sram}) {
      on_all_networks(by, [&](NodeId router) { join_by_position(node, router, noc.link); });
      reach(node, {.up = by, .router = by});
    }
    make_parts(spec_.cube.parts, prefix, m_cpu.second, at);
    make_channels(sip, cube, nodes);
  }

  // Memory channels that all PEs share, each joined to the routers of its ports.
  void make_channels(int sip, int cube, CubeNodes& nodes) {
    for (const auto& [number, ports] : views::enumerate(graph_.plan_.channels)) {
      const NodeId first = router(nodes, ports.front());
      const NodeId channel =
          add(fmt::format(FMT_COMPILE("sip{}.cube{}.hbm{}"), sip, cube, number), NodeKind::hbm_ctrl,
              spec_.cube.hbm_ctrl, graph_.node(first).pos_mm, {sip, cube, -1});
      const auto before = static_cast<std::uint32_t>(graph_.memory_ports_.size());
      for (const int port : ports) {
        on_all_networks(router(nodes, port),
                        [&](NodeId by) { join(by, channel, spec_.cube.floorplan.hbm.bandwidth, 0.0); });
        graph_.memory_ports_.push_back(router(nodes, port));
      }
      const auto count = static_cast<std::uint32_t>(ports.size());
      reach(channel, {.up = first,
                      .router = first,
                      .xbar = {},
                      .ports = count,
                      .first_port = before,
                      .is_memory = true});
      nodes.hbm.push_back(channel);
    }
  }

  void make_parts(const config::PartsSpec& parts, const std::string& prefix, NodeId router, PeCoord at) {
    for (const auto& [name, part] : parts) {
      const NodeId node = add(prefix + name, NodeKind::part, part.model, graph_.node(router).pos_mm, at);
      on_all_networks(router, [&](NodeId by) { join(node, by, part.link, 0.0); });
      reach(node, {.up = router, .router = router});
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

  void make_pe(PeCoord at, CubeNodes& cube) {
    const config::PeSpec& pe = spec_.pe;
    const std::string prefix = to_string(at) + ".";
    const NodeId by = router(cube, graph_.plan_.pes[static_cast<std::size_t>(at.pe)]);
    const Point pos = graph_.node(by).pos_mm;
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
                        .router = by};
    for (const NodeId port : {nodes.dma, nodes.cpu})
      on_all_networks(by, [&](NodeId network) { join(port, network, pe.link, 0.0); });
    for (const NodeId buffer : {nodes.tcm, nodes.ipcq}) join(nodes.dma, buffer, pe.link, 0.0);
    join(nodes.cpu, nodes.mmu, pe.link, 0.0);
    reach(nodes.dma, {.up = by, .router = by, .xbar = cube.xbar});
    reach(nodes.tcm, {.up = nodes.dma, .router = by, .xbar = cube.xbar});
    reach(nodes.ipcq, {.up = nodes.dma, .router = by});
    reach(nodes.cpu, {.up = by, .router = by});
    reach(nodes.mmu, {.up = nodes.cpu, .router = by});
    if (cube.xbar.valid()) make_slice(at, nodes, cube);
    make_parts(pe.parts, prefix, by, at);
    cube.pes.push_back(nodes);
  }

  // A PE's own slice of HBM, at the crossbar.
  void make_slice(PeCoord at, const PeNodes& pe, CubeNodes& cube) {
    const NodeId slice = add(fmt::format(FMT_COMPILE("sip{}.cube{}.hbm{}"), at.sip, at.cube, at.pe),
                             NodeKind::hbm_ctrl, spec_.cube.hbm_ctrl, graph_.node(pe.router).pos_mm, at);
    join_by_position(pe.dma, cube.xbar, spec_.pe.link);
    join_by_position(cube.xbar, slice, spec_.cube.xbar_to_hbm);
    if (!is_joined(pe.router, cube.xbar)) {
      on_all_networks(pe.router, [&](NodeId by) { join_by_position(by, cube.xbar, spec_.cube.noc.link); });
    }
    reach(slice, {.up = cube.xbar, .router = pe.router, .xbar = cube.xbar, .is_memory = true});
    cube.hbm.push_back(slice);
  }

  void join_cubes(const SipNodes& sip) {
    const int w = spec_.sip.cube_mesh.w;
    const config::ChipLinkSpec& wire = spec_.sip.ucie_link;
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

Graph compile(std::shared_ptr<const config::MachineSpec> spec) {
  Graph graph = Compiler{std::move(spec)}.compile();
  check_slot_circles(graph);
  return graph;
}

}  // namespace kbsim::topology
