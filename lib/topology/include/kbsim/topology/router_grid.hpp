#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/side.hpp"

namespace kbsim::topology {

/// The routers of one NOC as a grid, for routings: those of a network of a cube, those of a package's IO NOC
/// (a row), or all of a bare network. Columns count eastwards and rows southwards, from 0.
class RouterGrid {
 public:
  struct Spot {
    int column = 0;
    int row = 0;
    friend bool operator==(const Spot&, const Spot&) = default;
  };
  /// The NOC that this router belongs to.
  RouterGrid(const Graph& graph, NodeId router);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return static_cast<int>(routers_.size()) / width_; }
  /// Row by row.
  [[nodiscard]] const std::vector<NodeId>& routers() const { return routers_; }
  [[nodiscard]] bool contains(NodeId router) const;
  [[nodiscard]] NodeId at(Spot spot) const {
    return routers_[static_cast<std::size_t>(spot.row) * static_cast<std::size_t>(width_) +
                    static_cast<std::size_t>(spot.column)];
  }
  /// InternalError if the router is of another NOC.
  [[nodiscard]] Spot of(NodeId router) const;
  /// The router that a link joins to this one at that side; none at an edge.
  [[nodiscard]] std::optional<NodeId> neighbour(NodeId router, Side side) const;

 private:
  const Graph* graph_;
  std::vector<NodeId> routers_;
  int width_ = 1;
};

}  // namespace kbsim::topology
