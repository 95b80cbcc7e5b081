#pragma once

#include <vector>

#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {

/// The way of one cube's columns to the same PE of all other cubes: along the cube's row of the mesh, then
/// along all columns of the mesh; or the other way round. Relayed ones go from cube to cube, so that each
/// link carries them once; others from the source itself along a line, which takes less time unless links are
/// busy.
struct PanelRoute {
  int source = 0;  // cube
  bool relayed = false;
  bool columns_first = false;

  /// The queue by which they come to a PE of another cube.
  [[nodiscard]] Dir from(const PeGrid& grid, PePlace at) const;
  /// The queues by which the PE sends them on.
  [[nodiscard]] std::vector<Dir> onward(const PeGrid& grid, PePlace at) const;

 private:
  [[nodiscard]] Along first() const;
  [[nodiscard]] bool on_first(const PeGrid& grid, PePlace at) const;
  [[nodiscard]] int place(const PeGrid& grid, Along along) const;
};

/// The cubes in the order in which their columns come by such routes: along the own line, then those of the
/// nearest lines. A cube that passes columns on is nearer to their source.
[[nodiscard]] std::vector<int> cubes_from(const PeGrid& grid, int own, bool columns_first = false);

}  // namespace kbsim::llm
