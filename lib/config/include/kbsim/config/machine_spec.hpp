#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/floor_plan.hpp"

namespace kbsim::config {

/// A bundle of equal wires, one in each direction.
struct WireSpec {
  Bandwidth bandwidth = Bandwidth::gbs(256.0);
  double length_mm = 0.0;

  static void describe(auto& f) {
    f.add("bw_gbs", &WireSpec::bandwidth, kPositive, "bandwidth of one direction, 1 GB = 1e9 bytes");
    f.add("length_mm", &WireSpec::length_mm, between(0, 1e6), "length, for the propagation delay");
  }
};

/// Framing of the packets on a link. A packet of n bytes takes n + header + overhead * ceil((n + header) /
/// payload) bytes of the link's bandwidth; without `payload` n + header.
struct FrameSpec {
  Bytes header{};
  Bytes payload{};
  Bytes overhead{};

  static void describe(auto& f) {
    f.add("header_bytes", &FrameSpec::header, between(0_B, 1_MiB), "before the data of each packet");
    f.add("payload_bytes", &FrameSpec::payload, between(0_B, 1_MiB),
          "largest part of a packet, with its header, in a frame; 0: no frames");
    f.add("overhead_bytes", &FrameSpec::overhead, between(0_B, 1_MiB), "of each frame, beside its payload");
  }
};

/// A link from chip to chip, one in each direction.
///
/// With `store_and_forward` the nodes at its two ends are routers with memory. They take each packet whole,
/// by whichever link it comes: it goes on when its tail is there. The port at an end has one processor for
/// both directions. A packet that is sent takes it for packet_ns / channels, while its bytes leave at the
/// link's rate; it waits until the processor is free. A packet that is received takes it for receive_ns /
/// channels, and goes on at once.
struct ChipLinkSpec {
  Bandwidth bandwidth = Bandwidth::gbs(256.0);
  double length_mm = 0.0;
  Time latency{};
  int channels = 1;
  double efficiency = 1.0;
  Time packet{};
  Time receive{};
  bool store_and_forward = false;
  int credits = 0;
  FrameSpec frame;

  /// The rate of the whole link: that of all channels, as far as packets get it.
  [[nodiscard]] Bandwidth rate() const;
  /// Whether the time of a packet is more than its bytes over that rate.
  [[nodiscard]] bool is_framed() const {
    return frame.header > 0_B || (frame.payload > 0_B && frame.overhead > 0_B) || packet > Time{0};
  }
  /// How long a packet of n bytes occupies the link: its bytes and their frames over rate(), but at least
  /// packet_ns / channels, unless that is its port's time.
  [[nodiscard]] Time service(Bytes n) const;
  /// Whether ports have processors.
  [[nodiscard]] bool has_processor() const { return store_and_forward && packet > Time{0}; }
  /// How long a packet that is sent, or received, occupies the processor of its port: packet_ns or receive_ns
  /// over the channels, rounded up.
  [[nodiscard]] Time send_time() const;
  [[nodiscard]] Time receive_time() const;

  /// Whether packets need a slot at the far end.
  [[nodiscard]] bool has_slots() const { return credits > 0; }

  static void describe(auto& f) {
    f.add("bw_gbs", &ChipLinkSpec::bandwidth, kPositive, "bandwidth of one direction, 1 GB = 1e9 bytes");
    f.add("length_mm", &ChipLinkSpec::length_mm, between(0, 1e6), "length, for the propagation delay");
    f.add("latency_ns", &ChipLinkSpec::latency, kNotNegative,
          "delay of a crossing, beside that of its length");
    f.add("channels", &ChipLinkSpec::channels, between(1, 64),
          "parallel links, each of this bandwidth; packets are striped over them");
    f.add("efficiency", &ChipLinkSpec::efficiency, between(0.01, 1.0),
          "share of the bandwidth that packets get");
    f.add("packet_ns", &ChipLinkSpec::packet, kNotNegative,
          "least time that a packet occupies a channel, or, with store_and_forward, its port");
    f.add("receive_ns", &ChipLinkSpec::receive, kNotNegative,
          "time that a received packet occupies its port, at most packet_ns; with store_and_forward");
    f.add("store_and_forward", &ChipLinkSpec::store_and_forward,
          "its ports take each packet whole before it goes on, and handle one at a time");
    f.add("credits", &ChipLinkSpec::credits, between(0, 1'000'000),
          "slots at its far end for each class of traffic: a packet takes one, however short, until its last "
          "byte leaves by the next such link, or for the NOC; 0: without limit");
    f.section("frame", &ChipLinkSpec::frame, "what packets carry beside their data");
  }
};

/// A link between two packages, or a package and a switch, by their names.
struct ListedLinkSpec : ChipLinkSpec {
  std::string a;
  std::string b;

  static void describe(auto& f) {
    f.add("a", &ListedLinkSpec::a, "sip0, or any other name, which is a switch");
    f.add("b", &ListedLinkSpec::b, "its other end");
    f.template base<ChipLinkSpec>();
  }
};

/// Upper limit of cubes per package: the range of the cube field of a physical address.
inline constexpr int kMaxCubes = 32;

struct ExtentSpec {
  int w = 4;
  int h = 4;

  static void describe(auto& f) {
    f.add("w", &ExtentSpec::w, between(1, kMaxCubes), "columns");
    f.add("h", &ExtentSpec::h, between(1, kMaxCubes), "rows");
  }
};

struct SizeSpec {
  double w_mm = 10.0;
  double h_mm = 10.0;

  static void describe(auto& f) {
    f.add("w_mm", &SizeSpec::w_mm, between(1e-3, 1e6), "width");
    f.add("h_mm", &SizeSpec::h_mm, between(1e-3, 1e6), "height");
  }
};

/// An architect's own component, joined to a router; its model is one of kind `part`.
struct PartSpec {
  ComponentSpec model;
  Bandwidth link = Bandwidth::gbs(256.0);

  static void describe(auto& f) {
    f.component("model", &PartSpec::model, "how it is simulated");
    f.add("link_bw_gbs", &PartSpec::link, kPositive, "to its router, and from there");
  }
};

/// Parts by the names of their nodes.
using PartsSpec = std::map<std::string, PartSpec>;
inline constexpr auto kNewPart = [](const auto& /*owner*/, const std::string& /*name*/) {
  return PartSpec{};
};

/// How the packages are joined: by the wires of the neighbour topology of the same name.
enum class SipTopology {
  ring_1d,
  torus_2d,
  mesh_2d,
  mesh_2d_no_wrap,
  ring_1d_unidir,
  tree_binary,
  all_pairs,
  doubling_distances,
  full,  // the same as all_pairs
  links  // as `links` lists them
};

/// Their names, in the order of the enum.
inline constexpr auto kSipTopologies =
    std::to_array<std::string_view>({"ring_1d", "torus_2d", "mesh_2d", "mesh_2d_no_wrap", "ring_1d_unidir",
                                     "tree_binary", "all_pairs", "doubling_distances", "full", "links"});
/// The other neighbour topologies, and why packages aren't joined so.
inline constexpr auto kNoSipTopologies = std::to_array<std::pair<const char*, const char*>>(
    {{"none", "packages without wires between them can't reach each other"},
     {"ring_by_rank", "a ring of packages is by rank: ring_1d"},
     {"hierarchical_3level", "its packages are a ring: ring_1d"},
     {"cube_mesh", "it joins packages as this key says"},
     {"line_of_pes", "it joins the PEs of a cube, not packages"},
     {"line_of_cubes", "it joins the cubes of a package, not packages"},
     {"line_of_packages", "a line of packages is mesh_2d_no_wrap with h: 1"},
     {"pe_rows_and_columns", "it joins the PEs of a package, not packages"},
     {"package_exchange", "it joins the PEs of a package, not packages"},
     {"package_splits", "it joins the PEs of a package, not packages"},
     {"package_exchange_sums", "it joins PEs, each with all of its kind: all_pairs"},
     {"package_splits_sums", "it joins PEs, each with all of its kind: all_pairs"}});

/// Whether the packages are rows and columns.
[[nodiscard]] constexpr bool is_grid(SipTopology topology) {
  using enum SipTopology;
  return topology == torus_2d || topology == mesh_2d || topology == mesh_2d_no_wrap;
}
[[nodiscard]] constexpr std::string_view to_string(SipTopology topology) {
  return kSipTopologies[static_cast<std::size_t>(topology)];
}

struct SipsSpec {
  int count = 2;
  SipTopology topology = SipTopology::ring_1d;
  int w = 0;
  int h = 0;
  ChipLinkSpec link{.bandwidth = Bandwidth::gbs(128.0), .length_mm = 100.0};
  bool bubble = false;
  std::vector<ListedLinkSpec> links;
  ComponentSpec switch_model{.impl = "builtin.router"};

  [[nodiscard]] bool is_listed() const { return topology == SipTopology::links; }
  /// Rows of the grid of packages: `h`, or those of the squarest grid; 1 without a grid.
  [[nodiscard]] int rows() const;
  /// Whether `links` names others than packages.
  [[nodiscard]] bool has_switches() const {
    return is_listed() && std::ranges::any_of(links, [](const ListedLinkSpec& link) {
             return !link.a.starts_with("sip") || !link.b.starts_with("sip");
           });
  }

  static void describe(auto& f) {
    f.add("count", &SipsSpec::count, between(1, 256), "packages in the system, a rank each");
    f.choice("topology", &SipsSpec::topology, {kSipTopologies.begin(), kSipTopologies.end()},
             "how the packages are joined; torus_2d and mesh_2d wrap around, full is all_pairs, links is as "
             "`links` says",
             {kNoSipTopologies.begin(), kNoSipTopologies.end()});
    f.add("w", &SipsSpec::w, between(0, 256),
          "columns of a 2-D topology, and of collectives over a grid; 0: the squarest");
    f.add("h", &SipsSpec::h, between(0, 256),
          "rows of a 2-D topology, and of collectives over a grid; 0: the squarest");
    f.section("link", &SipsSpec::link, "one package to the next");
    f.add("bubble", &SipsSpec::bubble,
          "with credits of the links: a packet enters a ring of packages, or turns into one, only with two "
          "free "
          "slots ahead");
    f.list(
        "links", &SipsSpec::links, [](const SipsSpec& spec) { return ListedLinkSpec{spec.link, "", ""}; },
        "the links of topology: links; keys that one leaves out are those of `link`");
    f.written_if(&SipsSpec::is_listed);
    f.component("switch", &SipsSpec::switch_model, "a switch that `links` names");
    f.written_if(&SipsSpec::has_switches);
  }
};

struct SystemComponentsSpec {
  ComponentSpec host{.impl = "builtin.host"};
  ComponentSpec pcie_switch{.impl = "builtin.switch"};

  static void describe(auto& f) {
    f.component("host", &SystemComponentsSpec::host, "the root complex, where host programs run");
    f.component("switch", &SystemComponentsSpec::pcie_switch, "joins the host and the packages");
  }
};

struct SystemSpec {
  double ns_per_mm = 0.01;
  Bytes packet_bytes{256};
  Bytes control_bytes{16};
  WireSpec host_link{.bandwidth = Bandwidth::gbs(64.0), .length_mm = 300.0};
  SipsSpec sips;
  ComponentSpec routing{.impl = "builtin.xy"};
  SystemComponentsSpec components;

  static void describe(auto& f) {
    f.add("ns_per_mm", &SystemSpec::ns_per_mm, between(0, 1000), "wire propagation delay");
    f.add("packet_bytes", &SystemSpec::packet_bytes, kNotNegative, "largest packet; 0: one packet a message");
    f.add("control_bytes", &SystemSpec::control_bytes, between(1_B, 1_MiB), "size of a control message");
    f.section("host_link", &SystemSpec::host_link, "PCIe: host to switch, and switch to package");
    f.section("sips", &SystemSpec::sips, "the packages");
    f.component("routing", &SystemSpec::routing, "which way messages take from router to router");
    f.section("components", &SystemSpec::components, "models of the system's own parts");
  }
};

struct IoSpec {
  ComponentSpec pcie_ep{.impl = "builtin.pcie_ep"};
  ComponentSpec io_cpu{.impl = "builtin.io_cpu"};
  ComponentSpec router{.impl = "builtin.router"};
  WireSpec link{.bandwidth = Bandwidth::gbs(256.0), .length_mm = 2.0};
  PartsSpec parts;

  static void describe(auto& f) {
    f.component("pcie_ep", &IoSpec::pcie_ep, "PCIe endpoint");
    f.component("io_cpu", &IoSpec::io_cpu, "the CPU that fans launches out to the cubes");
    f.component("router", &IoSpec::router, "one router of the IO NOC, a row as wide as the cube mesh");
    f.section("link", &IoSpec::link, "every link of the IO chiplet");
    f.map("parts", &IoSpec::parts, kNewPart, "components of your own, at the first router of the IO NOC");
  }
};

struct SipSpec {
  ExtentSpec cube_mesh;
  SizeSpec cube_size;
  ComponentSpec ucie{.impl = "builtin.ucie"};
  ChipLinkSpec ucie_link{.bandwidth = Bandwidth::gbs(256.0), .length_mm = 1.0};
  IoSpec io;

  static void describe(auto& f) {
    f.section("cube_mesh", &SipSpec::cube_mesh, "cubes of a package, at most 32");
    f.section("cube_size", &SipSpec::cube_size, "a cube's outline; positions and wire lengths follow");
    f.component("ucie", &SipSpec::ucie, "one port of a die-to-die link; two a crossing");
    f.section("ucie_link", &SipSpec::ucie_link, "from port to port");
    f.section("io", &SipSpec::io, "the IO chiplet");
  }
};

/// Whether the links of a NOC lead both ways, or one way: east_south along rows first, north_west along
/// columns first.
enum class NocLinks { both, east_south, north_west };

/// A network of a cube, by its place in `links`.
enum class NocNumber { noc0, noc1, noc2, noc3 };
inline constexpr int kMostNetworks = 4;

/// The network that messages of a kind take; answers take that of their requests.
struct NocUseSpec {
  NocNumber reads = NocNumber::noc0;
  NocNumber writes = NocNumber::noc0;
  NocNumber messages = NocNumber::noc0;
  NocNumber control = NocNumber::noc0;

  static void describe(auto& f) {
    const std::vector<std::string> names{"noc0", "noc1", "noc2", "noc3"};
    f.choice("reads", &NocUseSpec::reads, names, "what PEs' DMAs read from memories");
    f.choice("writes", &NocUseSpec::writes, names, "what they write");
    f.choice("messages", &NocUseSpec::messages, names, "what PEs send to other PEs' queues, and credits");
    f.choice("control", &NocUseSpec::control, names, "everything else: launches, the host's copies, parts");
  }
};

struct NocSpec {
  int w = 4;
  int h = 4;
  bool wrap = false;
  std::vector<NocLinks> links{NocLinks::both};
  NocUseSpec use;
  Bandwidth link = Bandwidth::gbs(256.0);
  ComponentSpec router{.impl = "builtin.router"};

  [[nodiscard]] int networks() const { return static_cast<int>(links.size()); }
  [[nodiscard]] bool has_several() const { return links.size() > 1; }
  /// Whether messages between PEs go round rings westwards and northwards alone.
  [[nodiscard]] bool sends_back() const {
    return links[static_cast<std::size_t>(use.messages)] == NocLinks::north_west;
  }

  static void describe(auto& f) {
    f.add("w", &NocSpec::w, between(1, 64), "columns of routers");
    f.add("h", &NocSpec::h, between(1, 64), "rows of routers");
    f.add("wrap", &NocSpec::wrap,
          "rows and columns are rings; they are folded, so that each wire is as long as its neighbours");
    f.choice("links", &NocSpec::links, {"both", "east_south", "north_west"},
             "a network each: its links lead both ways, or one way round rings; east_south goes along rows "
             "first, north_west along columns");
    f.section("use", &NocSpec::use, "the network of each kind of traffic: noc0 is the first of `links`");
    f.written_if(&NocSpec::has_several);
    f.add("link_bw_gbs", &NocSpec::link, kPositive, "bandwidth of one direction of a NOC link");
    f.component("router", &NocSpec::router, "one router of the mesh");
  }
};

/// A corner of a cube, N above S.
enum class Corner { NW, NE, SW, SE };
[[nodiscard]] constexpr bool is_north(Corner corner) { return corner == Corner::NW || corner == Corner::NE; }
[[nodiscard]] constexpr bool is_west(Corner corner) { return corner == Corner::NW || corner == Corner::SW; }

struct PeLayoutSpec {
  std::vector<Corner> corners{Corner::NW, Corner::NE, Corner::SW, Corner::SE};
  int pe_per_corner = 2;

  static void describe(auto& f) {
    f.choice("corners", &PeLayoutSpec::corners, {"NW", "NE", "SW", "SE"},
             "corners of the cube that hold PEs");
    f.add("pe_per_corner", &PeLayoutSpec::pe_per_corner, between(1, 16),
          "PEs at each of these corners, 16 in all at most");
  }
};

/// The upper limits are the address range of each memory in a physical address.
struct MemorySpec {
  Bytes hbm_per_pe{6_GiB};
  Bytes sram{32_MiB};
  Bytes tcm{16_MiB};
  Bytes tcm_scheduler{4_MiB};

  static void describe(auto& f) {
    f.add("hbm_bytes_per_pe", &MemorySpec::hbm_per_pe, between(1_B, 128_GiB), "one PE's HBM slice");
    f.add("sram_bytes", &MemorySpec::sram, between(1_B, 512_MiB), "SRAM shared in a cube");
    f.add("tcm_bytes", &MemorySpec::tcm, between(1_B, 256_MiB), "TCM of a PE, the scheduler's part included");
    f.add("tcm_scheduler_bytes", &MemorySpec::tcm_scheduler, kNotNegative, "the scheduler's part of the TCM");
  }
};

struct CubeSpec {
  NocSpec noc;
  PeLayoutSpec pe_layout;
  FloorPlanSpec floorplan;
  ComponentSpec m_cpu{.impl = "builtin.m_cpu"};
  ComponentSpec xbar{.impl = "builtin.xbar"};
  Bandwidth xbar_to_hbm = Bandwidth::gbs(256.0);
  ComponentSpec hbm_ctrl{.impl = "builtin.hbm_ctrl"};
  ComponentSpec sram{.impl = "builtin.sram"};
  MemorySpec memory;
  PartsSpec parts;

  /// Whether the links of a network of the NOC lead one way.
  [[nodiscard]] bool one_way() const {
    return std::ranges::any_of(noc.links, [](NocLinks links) { return links != NocLinks::both; });
  }
  [[nodiscard]] bool has_plan() const { return floorplan.given(); }
  [[nodiscard]] bool has_layout() const { return !floorplan.given(); }
  [[nodiscard]] bool has_xbar() const { return floorplan.channels() == 0; }

  static void describe(auto& f) {
    f.section("noc", &CubeSpec::noc, "the 2-D mesh inside a cube");
    f.section("pe_layout", &CubeSpec::pe_layout, "where the PEs sit");
    f.written_if(&CubeSpec::has_layout);
    f.section("floorplan", &CubeSpec::floorplan, "what stands at which router, in place of pe_layout");
    f.written_if(&CubeSpec::has_plan);
    f.component("m_cpu", &CubeSpec::m_cpu, "the CPU that fans launches out to the PEs");
    f.component("xbar", &CubeSpec::xbar, "joins the PEs and the NOC to the HBM slices");
    f.written_if(&CubeSpec::has_xbar);
    f.add("xbar_to_hbm_bw_gbs", &CubeSpec::xbar_to_hbm, kPositive, "raw HBM bandwidth of one slice");
    f.written_if(&CubeSpec::has_xbar);
    f.component("hbm_ctrl", &CubeSpec::hbm_ctrl, "one HBM slice, a PE's own");
    f.component("sram", &CubeSpec::sram, "memory shared in the cube, reached over the NOC");
    f.section("memory", &CubeSpec::memory, "sizes");
    f.map("parts", &CubeSpec::parts, kNewPart, "components of your own, at the middle router of the NOC");
  }
};

/// The effect of a command whose tile doesn't fit into the free TCM.
enum class OnFull { error, stall };

struct TcmSpec {
  OnFull on_full = OnFull::error;

  static void describe(auto& f) {
    f.choice("on_full", &TcmSpec::on_full, {"error", "stall"},
             "a command whose tile the TCM has no room for is an error, or waits until tiles are let go");
  }
};

/// Whether the kernel goes on while its commands run, or waits for the result of each.
enum class Issue { queued, blocking };

struct PeSpec {
  Bandwidth link = Bandwidth::gbs(256.0);
  Issue issue = Issue::queued;
  TcmSpec tcm;
  ComponentSpec pe_cpu{.impl = "builtin.pe_cpu"};
  ComponentSpec pe_scheduler{.impl = "builtin.pe_scheduler"};
  ComponentSpec pe_dma{.impl = "builtin.pe_dma"};
  ComponentSpec pe_gemm{.impl = "builtin.pe_gemm"};
  ComponentSpec pe_math{.impl = "builtin.pe_math"};
  ComponentSpec pe_tcm{.impl = "builtin.pe_tcm"};
  ComponentSpec pe_mmu{.impl = "builtin.pe_mmu"};
  ComponentSpec pe_ipcq{.impl = "builtin.pe_ipcq"};
  PartsSpec parts;

  static void describe(auto& f) {
    f.add("link_bw_gbs", &PeSpec::link, kPositive, "each port of a PE: to the NOC and to the crossbar");
    f.choice("issue", &PeSpec::issue, {"queued", "blocking"},
             "queued: commands run beside the kernel; blocking: each waits for its result");
    f.section("tcm", &PeSpec::tcm, "the TCM as a budget of tiles");
    f.component("pe_cpu", &PeSpec::pe_cpu, "runs the kernel");
    f.component("pe_scheduler", &PeSpec::pe_scheduler, "cuts composite operations into tiles");
    f.component("pe_dma", &PeSpec::pe_dma, "moves data between memories");
    f.component("pe_gemm", &PeSpec::pe_gemm, "matrix engine");
    f.component("pe_math", &PeSpec::pe_math, "vector engine");
    f.component("pe_tcm", &PeSpec::pe_tcm, "tightly coupled memory");
    f.component("pe_mmu", &PeSpec::pe_mmu, "virtual to physical addresses");
    f.component("pe_ipcq", &PeSpec::pe_ipcq, "queues between PEs");
    f.map("parts", &PeSpec::parts, kNewPart, "components of your own, at the PE's router");
  }
};

/// Times that a library adds to each call of a collective.
struct CallSoftwareSpec {
  std::string collective;
  Time call{};
  Time hop{};

  static void describe(auto& f) {
    f.add("collective", &CallSoftwareSpec::collective, "its name, as all_gather");
    f.add("call_ns", &CallSoftwareSpec::call, kNotNegative, "of a call, whatever its size and ranks");
    f.add("hop_ns", &CallSoftwareSpec::hop, kNotNegative,
          "of each link between the two ranks that are furthest apart");
  }
};

/// Times that a library adds on a real machine, for comparisons with measurements. They are no part of the
/// machine and of no simulated time: benches print them apart.
struct SoftwareSpec {
  Time zone{};
  std::vector<CallSoftwareSpec> calls = {};

  static void describe(auto& f) {
    f.add("zone_ns", &SoftwareSpec::zone, kNotNegative,
          "of a measured loop, before its first command and after its last answer: bench transfers");
    f.list(
        "calls", &SoftwareSpec::calls, [](const auto&) { return CallSoftwareSpec{}; },
        "of a collective's calls: bench ccl");
  }
};

/// A whole machine as its topology file describes it; immutable once read.
struct MachineSpec {
  int schema_version = 1;
  SystemSpec system;
  SipSpec sip;
  CubeSpec cube;
  PeSpec pe;
  SoftwareSpec software;

  [[nodiscard]] int cubes_per_sip() const { return sip.cube_mesh.w * sip.cube_mesh.h; }
  [[nodiscard]] int pes_per_cube() const {
    return cube.floorplan.given()
               ? cube.floorplan.pes()
               : static_cast<int>(cube.pe_layout.corners.size()) * cube.pe_layout.pe_per_corner;
  }
  /// Whether memory channels are shared by the PEs of a cube, rather than a slice a PE.
  [[nodiscard]] bool shares_hbm() const { return cube.floorplan.channels() > 0; }
  /// A PE's own part of the cube's HBM addresses: its slice, or its share of all channels in whole pages.
  [[nodiscard]] Bytes hbm_per_pe() const;

  static void describe(auto& f) {
    f.add("schema_version", &MachineSpec::schema_version, between(1, 1), "version of this file's schema");
    f.section("system", &MachineSpec::system, "host, switch, packages and what they share");
    f.section("sip", &MachineSpec::sip, "one package: an IO chiplet and a mesh of cubes");
    f.section("cube", &MachineSpec::cube, "one cube: NOC, M_CPU, SRAM, crossbar, HBM and PEs");
    f.section("pe", &MachineSpec::pe, "one PE and its units");
    f.section("software", &MachineSpec::software, "what a library adds on a real machine; printed apart");
  }
};

}  // namespace kbsim::config
