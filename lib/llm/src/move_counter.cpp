#include "move_counter.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/bytes.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/topology/link_class.hpp"

namespace kbsim::inference {
namespace {

using topology::LinkClass;
using topology::NodeKind;

// Bytes of units and links, of one launch.
class Loads {
 public:
  Loads(const topology::Graph& graph, const PackageSite& site) : graph_{graph}, site_{site} {}

  void add_link(LinkId id, std::int64_t bytes) {
    links_[id] += bytes;
    switch (topology::link_class(graph_, graph_.link(id))) {
      case LinkClass::noc: sum_.noc += bytes; break;
      case LinkClass::ucie: sum_.ucie += bytes; break;
      case LinkClass::package: sum_.package += bytes; break;
      default: break;
    }
  }
  void add_read(NodeId memory, std::int64_t bytes) { reads_[memory] += bytes; }
  void add_write(NodeId memory, std::int64_t bytes) { writes_[memory] += bytes; }
  void add_kind(bool hbm, bool read, Held held, std::int64_t bytes) { kind(hbm, read, held) += bytes; }

  [[nodiscard]] MovedBytes sum() {
    for (const auto& [id, bytes] : links_) add_busy(id, bytes);
    for (const auto& [memory, bytes] : reads_) add_memory(memory, bytes, site_.tcm_read_rate);
    for (const auto& [memory, bytes] : writes_) add_memory(memory, bytes, site_.tcm_write_rate);
    return sum_;
  }

 private:
  std::int64_t& kind(bool hbm, bool read, Held held) {
    if (!hbm) return read ? sum_.tcm_read : sum_.tcm_written;
    if (held == Held::weights && read) return sum_.weights_read;
    if (held == Held::cache) return read ? sum_.cache_read : sum_.cache_written;
    return read ? sum_.other_read : sum_.other_written;
  }
  void add_busy(LinkId id, std::int64_t bytes) {
    const topology::Link& link = graph_.link(id);
    const auto at_least = [&](Time& longest) {
      longest = std::max(longest, from_ns(static_cast<double>(bytes) / link.bandwidth.gbs()));
    };
    switch (topology::link_class(graph_, link)) {
      case LinkClass::ucie: at_least(sum_.ucie_busy); break;
      case LinkClass::package: at_least(sum_.package_busy); break;
      case LinkClass::noc:
      case LinkClass::noc_to_xbar:
      case LinkClass::pe_port: at_least(sum_.noc_busy); break;
      default: break;
    }
  }
  // HBM's bus is one for both directions, a TCM has a port for each.
  void add_memory(NodeId memory, std::int64_t bytes, double port_rate) {
    const NodeKind kind = graph_.node(memory).kind;
    if (kind == NodeKind::hbm_ctrl) {
      const std::int64_t both = hbm_[memory] += bytes;
      sum_.hbm_busy = std::max(sum_.hbm_busy, from_ns(static_cast<double>(both) / site_.hbm_rate));
    } else if (kind == NodeKind::pe_tcm) {
      sum_.tcm_busy = std::max(sum_.tcm_busy, from_ns(static_cast<double>(bytes) / port_rate));
    }
  }

  const topology::Graph& graph_;
  const PackageSite& site_;
  std::map<LinkId, std::int64_t> links_;
  std::map<NodeId, std::int64_t> reads_;
  std::map<NodeId, std::int64_t> writes_;
  std::map<NodeId, std::int64_t> hbm_;
  MovedBytes sum_;
};

}  // namespace

std::size_t MoveCounter::Hash::operator()(const Flow& flow) const {
  const std::uint64_t key = (std::uint64_t{flow.tcm.value()} << 32U) | flow.memory.value();
  const std::uint64_t kind = (flow.read ? 4U : 0U) + static_cast<std::uint64_t>(flow.held);
  return static_cast<std::size_t>((key * 8 + kind) * 0x9E37'79B9'7F4A'7C15U >> 17U);
}

MoveCounter::MoveCounter(host::Session& session, const PackageSite& site)
    : session_{session}, site_{site}, routes_{session.machine().graph()} {
  watch(this);
}

MoveCounter::~MoveCounter() { watch(nullptr); }

void MoveCounter::watch(hw::IMoveWatch* watch) {
  hw::Machine& machine = session_.machine();
  if (machine.division() != nullptr) return;
  const config::MachineSpec& spec = session_.spec();
  for (int sip = 0; sip < spec.system.sips.count; ++sip) {
    for (int cube = 0; cube < spec.cubes_per_sip(); ++cube) {
      for (const topology::PeNodes& pe : machine.graph().cube(sip, cube).pes)
        machine.at<hw::IDma>(pe.dma).show_moves_to(watch);
    }
  }
}

// A range that begins where one of the same kind ends, but for what aligns it, goes on with it.
void MoveCounter::note(const host::Tensor& tensor, Held held) {
  constexpr Bytes kAlignment{64};
  for (const host::Shard& shard : tensor.shards()) {
    const topology::PhysAddr end = shard.pa + shard.spec.nbytes;
    const auto after = ranges_.upper_bound(shard.pa);
    Range* const before = after != ranges_.begin() ? &std::prev(after)->second : nullptr;
    if (before != nullptr && before->held == held && before->end <= shard.pa &&
        shard.pa < before->end + kAlignment)
      before->end = end;
    else
      ranges_.insert_or_assign(shard.pa, Range{.end = end, .held = held});
  }
}

Held MoveCounter::held_at(topology::PhysAddr at) const {
  const auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin()) return Held::other;
  const Range& range = std::prev(after)->second;
  return at < range.end ? range.held : Held::other;
}

// A command moves bytes of one tensor, in pieces that mostly lie in one memory.
void MoveCounter::begins(const hw::DmaSite& site, const hw::LaunchId& launch, const hw::Transfer& transfer) {
  const hw::Pieces& pieces = transfer.pieces();
  if (pieces.empty()) return;
  Flows& flows = launches_[launch.order];
  const Held held = held_at(pieces.front().memory.pa);
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const hw::MemoryAddress first = hw::locate(*site.graph, piece->memory.pa);
    const bool hbm =
        site.graph->node(first.memory).kind == NodeKind::hbm_ctrl && !session_.spec().shares_hbm();
    const topology::PhysAddr begin = piece->memory.pa + Bytes{-first.address};
    const topology::PhysAddr end = hbm ? begin + session_.spec().hbm_per_pe() : begin;
    std::int64_t& bytes = flows[{site.tcm, first.memory, transfer.only_reads(), held}];
    do {
      bytes += piece++->memory.bytes.count();
    } while (piece != pieces.end() && piece->memory.pa >= begin && piece->memory.pa < end);
  }
}

MovedBytes MoveCounter::take(std::uint32_t order) {
  const auto found = launches_.find(order);
  if (found == launches_.end()) return {};
  const topology::Graph& graph = session_.machine().graph();
  const config::NocUseSpec& use = session_.spec().cube.noc.use;
  Loads loads{graph, site_};
  for (const auto& [flow, bytes] : found->second) {
    const NodeId from = flow.read ? flow.memory : flow.tcm;
    const NodeId to = flow.read ? flow.tcm : flow.memory;
    loads.add_kind(graph.node(flow.memory).kind == NodeKind::hbm_ctrl, flow.read, flow.held, bytes);
    loads.add_read(from, bytes);
    loads.add_write(to, bytes);
    for (const LinkId link : routes_(from, to, static_cast<int>(flow.read ? use.reads : use.writes)))
      loads.add_link(link, bytes);
  }
  launches_.erase(found);
  return loads.sum();
}

}  // namespace kbsim::inference
