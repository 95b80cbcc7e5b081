#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/config/noc_spec.hpp"
#include "kbsim/topology/noc_event.hpp"

namespace kbsim::topology {

/// A shared resource with a rate: a link, an NIU's end or a memory.
using NocResource = std::uint32_t;

/// A route over one NOC: links in order, and the channel that a transfer needs on each. A transfer enters the
/// second class of channels where its route wraps around, and leaves it where it turns.
struct NocRoute {
  std::vector<NocResource> links;
  std::vector<std::uint32_t> channels;  // by link; all classes of all links count from 0
};

/// The tori of a NocToriSpec: resources by number, routes by dimension order.
class NocNetwork {
 public:
  explicit NocNetwork(config::NocToriSpec spec);

  [[nodiscard]] const config::NocToriSpec& spec() const { return spec_; }
  [[nodiscard]] int nodes() const { return spec_.w * spec_.h; }
  [[nodiscard]] int layers() const { return static_cast<int>(spec_.ways.size()); }
  [[nodiscard]] int node(NocSpot spot) const { return spot.y * spec_.w + spot.x; }
  [[nodiscard]] const config::NocNodeSpec& kind(int node) const {
    return dram_[static_cast<std::size_t>(node)] ? spec_.dram : spec_.worker;
  }

  /// In bytes per nanosecond, by resource.
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }
  [[nodiscard]] std::uint32_t channel_classes() const { return 2 * 2 * count(); }
  [[nodiscard]] NocResource injection(int layer, int node) const { return port(layer, node, 2); }
  [[nodiscard]] NocResource sink(int layer, int node) const { return port(layer, node, 3); }
  [[nodiscard]] NocResource memory(int node) const { return 4 * count() + static_cast<NocResource>(node); }

  [[nodiscard]] NocRoute route(int layer, int from, int to) const;
  [[nodiscard]] int hops(int layer, int from, int to) const;
  /// The input of the target's NIU where a request arrives: its own node's, or an axis and a class of
  /// channels.
  [[nodiscard]] int input(int layer, int from, int to) const;

 private:
  [[nodiscard]] NocResource count() const { return static_cast<NocResource>(layers() * nodes()); }
  [[nodiscard]] NocResource port(int layer, int node, NocResource kind) const {
    return kind * count() + static_cast<NocResource>(layer * nodes() + node);
  }
  /// The steps along an axis (0: a row, 1: a column), and whether they wrap around.
  struct Run {
    int steps = 0;
    bool wraps = false;
  };
  [[nodiscard]] Run run(int layer, int axis, int from, int to) const;
  [[nodiscard]] bool forward(int layer) const;

  config::NocToriSpec spec_;
  std::vector<bool> dram_;
  std::vector<double> rates_;
};

}  // namespace kbsim::topology
