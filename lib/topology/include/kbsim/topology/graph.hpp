#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/topology/side.hpp"
#include "kbsim/topology/sip_grid.hpp"
#include "kbsim/topology/sip_network.hpp"

namespace kbsim::topology {

class IRouting;

/// The kind of a node; its `impl` names the model that simulates it.
enum class NodeKind : std::uint8_t {
  host,
  pcie_switch,
  pcie_ep,
  io_cpu,
  router,
  ucie,
  m_cpu,
  xbar,
  hbm_ctrl,
  sram,
  pe_cpu,
  pe_scheduler,
  pe_dma,
  pe_gemm,
  pe_math,
  pe_tcm,
  pe_mmu,
  pe_ipcq,
  endpoint,
  part,
};
[[nodiscard]] std::string_view to_string(NodeKind kind);

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// A node's connection to the fabric: routes climb from node to node to a router.
struct Access {
  NodeId up;                     // the next node towards its router
  NodeId router;                 // none: no route ends at the node
  NodeId xbar;                   // where requesters and memories of a cube meet instead
  std::uint32_t ports = 0;       // number of a memory's routers, if it has several
  std::uint32_t first_port = 0;  // of these, as Graph::memory_ports() has them
  bool is_memory = false;        // at the xbar
  bool turns = false;            // a message to itself goes to its router and back
};

/// The place of a component.
struct Node {
  std::string name;  // a path: "sip0.cube5.pe3.pe_dma"
  const ComponentSpec* model = nullptr;
  Point pos_mm;
  PeCoord at{.sip = -1, .cube = -1, .pe = -1};  // -1: above that level
  Access access;
  NodeKind kind = NodeKind::host;
  bool passes = false;  // a router or a port: routes of others lead through it
  bool stores = false;  // it takes packets whole: they go on when their tails are there
};

/// One direction of a bundle of wires.
struct Link {
  NodeId from;
  NodeId to;
  Bandwidth bandwidth;
  double length_mm = 0.0;
  Time wire{};         // propagation delay
  int axis = 0;        // axis of its network: 1 and 2 of routers, 3 and 4 of packages with a bubble; else 0
  bool wraps = false;  // closes a ring of nodes
  const config::ChipLinkSpec* framing = nullptr;  // if packets carry frames or occupy it for a least time
  const config::ChipLinkSpec* slots = nullptr;    // if packets need a slot at its end
};

struct PeNodes {
  NodeId cpu, scheduler, dma, gemm, math, tcm, mmu, ipcq;
  NodeId router;  // of the cube's NOC, with its two ports
};

struct CubeNodes {
  std::vector<NodeId> noc;     // of the first network, row by row; not valid where the plan has no router
  std::array<NodeId, 4> ucie;  // one port per side
  NodeId m_cpu, xbar, sram;    // no crossbar where the PEs share memory channels
  std::vector<NodeId> hbm;     // slice i is PE i's own; or the channels that all share
  std::vector<PeNodes> pes;
};

struct SipNodes {
  NodeId pcie_ep, io_cpu;
  std::vector<NodeId> io_noc;    // a row, one router above each column of cubes
  std::vector<NodeId> io_ucie;   // down to the first row of cubes
  std::vector<NodeId> ports;     // to other packages, as SipNetwork has them
  std::vector<CubeNodes> cubes;  // row by row
};

/// A machine as nodes and links, made by `compile` from a MachineSpec; immutable. Or a bare network: a grid
/// of routers without packages.
class Graph {
 public:
  [[nodiscard]] const config::MachineSpec& spec() const { return *spec_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id.value()]; }
  [[nodiscard]] const Link& link(LinkId id) const { return links_[id.value()]; }
  [[nodiscard]] std::string link_name(LinkId id) const;  // "sip0.cube5>sip0.cube6" style, by node names

  /// The links that leave a node, in the order they were made.
  [[nodiscard]] std::span<const LinkId> out(NodeId id) const {
    return std::span{out_}.subspan(first_out_[id.value()],
                                   first_out_[id.value() + 1] - first_out_[id.value()]);
  }
  /// The link between two neighbours; InternalError if there is none.
  [[nodiscard]] LinkId link_between(NodeId from, NodeId to) const {
    const std::uint32_t first = first_out_[from.value()];
    for (std::uint32_t i = first; i < first_out_[from.value() + 1]; ++i) {
      if (out_to_[i] == to) return out_[i];
    }
    throw_no_link(from, to);
  }
  /// The same for consecutive nodes of a route. The search starts at the index in out(from) where the
  /// previous node's link was, in `place`.
  [[nodiscard]] LinkId link_between(NodeId from, NodeId to, std::uint32_t& place) const {
    const std::uint32_t first = first_out_[from.value()];
    const std::uint32_t count = first_out_[from.value() + 1] - first;
    if (place < count && out_to_[first + place] == to) return out_[first + place];
    for (place = 0; place < count; ++place) {
      if (out_to_[first + place] == to) return out_[first + place];
    }
    throw_no_link(from, to);
  }
  /// The node of this name; none if it doesn't exist.
  [[nodiscard]] std::optional<NodeId> find(std::string_view name) const;
  [[nodiscard]] const IRouting& routing() const { return *routing_; }
  /// The wires between packages; not for a bare network.
  [[nodiscard]] const SipNetwork& network() const { return *network_; }
  /// The grid of packages; in a bare network, of routers by their ids.
  [[nodiscard]] const SipGrid& grid() const { return *grid_; }
  /// Number of traffic classes that must not wait for one another.
  [[nodiscard]] int classes() const { return classes_; }
  /// Greatest number of phases of a route: 2 if links close rings, see phases().
  [[nodiscard]] int phases() const { return phases_; }

  [[nodiscard]] NodeId host() const { return host_; }
  [[nodiscard]] NodeId pcie_switch() const { return switch_; }
  [[nodiscard]] const std::vector<SipNodes>& sips() const { return sips_; }
  [[nodiscard]] const CubeNodes& cube(int sip, int cube) const {
    return sips_[static_cast<std::size_t>(sip)].cubes[static_cast<std::size_t>(cube)];
  }
  /// The routers of a memory channel's ports, the first of them its Access::router.
  [[nodiscard]] std::span<const NodeId> memory_ports(NodeId memory) const {
    const Access& access = node(memory).access;
    return std::span{memory_ports_}.subspan(access.first_port, access.ports);
  }
  /// The router of another network of a cube at the place of one of its first network; of the IO chiplet the
  /// router itself.
  [[nodiscard]] NodeId on_network(NodeId router, int network) const {
    if (network == 0 || node(router).at.cube < 0) return router;
    return NodeId{router.value() + static_cast<std::uint32_t>(network) * routers_of_network_};
  }
  /// The network of a cube's router; 0 for a router of the IO chiplet.
  [[nodiscard]] int network_of(NodeId router) const;
  /// The switches that join packages, in the order of the file.
  [[nodiscard]] const std::vector<NodeId>& switches() const { return switches_; }
  /// The floor plan of each cube.
  [[nodiscard]] const config::FloorPlan& plan() const { return plan_; }
  [[nodiscard]] const PeNodes& pe(PeCoord at) const {
    return cube(at.sip, at.cube).pes[static_cast<std::size_t>(at.pe)];
  }

 private:
  friend class Compiler;
  friend class NetworkBuilder;
  [[noreturn, gnu::cold]] void throw_no_link(NodeId from, NodeId to) const;

  std::shared_ptr<const config::MachineSpec> spec_;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<LinkId> out_;               // by the node that they leave
  std::vector<NodeId> out_to_;            // the target of each of these
  std::vector<std::uint32_t> first_out_;  // by node, and one more at the end
  NodeId host_, switch_;
  std::vector<SipNodes> sips_;
  std::vector<NodeId> switches_;
  std::vector<NodeId> memory_ports_;      // routers of the first network
  std::uint32_t routers_of_network_ = 0;  // in a cube, all of one network before those of the next
  config::FloorPlan plan_;
  std::optional<SipNetwork> network_;
  std::optional<SipGrid> grid_;
  std::shared_ptr<const IRouting> routing_;
  int classes_ = 4;  // requests, responses, data between PEs and credits for it
  int phases_ = 1;
};

/// Lays a machine out. Order of nodes and links follows the structure alone, so ids are stable.
[[nodiscard]] Graph compile(std::shared_ptr<const config::MachineSpec> spec);

}  // namespace kbsim::topology
