#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/panel_route.hpp"
#include "kbsim/kernels/llm/pe_exchange.hpp"

namespace kbsim::llm {

/// A PE's rows of a panel go from cube to cube if they are as large: each link carries them once, but they
/// take longer.
inline constexpr std::int64_t kRelayedBytes = 2048;

/// Columns of one cube's part of an activation.
struct Panel {
  int cube = 0;
  Part columns;  // of the whole activation
};

struct PanelGatherArgs {
  PeGrid grid;
  Activation from;
  Part columns;               // those that are gathered, of the whole activation
  Ptr buffer;                 // in this PE's TCM, of the activation's dtype
  int chunk = 0, chunks = 1;  // one of equal chunks of each PE's rows: see ChunkRows
  std::int64_t widest = 0;    // columns of a panel at most; 0: as many as a slot holds
};

/// Brings columns of all cubes to each PE, of the rows of all PEs of its cube. Panels come one
/// after the other, so that work on the first ones hides the others. All PEs of the grid construct it alike
/// and end with done(). The buffer has rows() * columns.size elements: panels in the order of their columns,
/// each [rows(), its columns] and row-major. It may be used again after done().
class PanelGather {
 public:
  PanelGather(TL& tl, const PanelGatherArgs& args);
  PanelGather(const PanelGather&) = delete;
  PanelGather& operator=(const PanelGather&) = delete;

  /// In the order in which they come to this PE: the first one of its own cube, of those of its row of the
  /// mesh, and of the others; then the second ones.
  [[nodiscard]] const std::vector<Panel>& panels() const { return panels_; }
  /// Rows in the buffer; and those of a PE.
  [[nodiscard]] std::int64_t rows() const { return rows_.all; }
  [[nodiscard]] const Part& rows_of(int pe) const { return rows_.of(pe); }

  /// Sends on what this PE is to send on of the panels up to this one; waits until that has come.
  [[nodiscard]] Task<> pass_on(std::size_t panel);
  /// pass_on(), then waits until the panel is in the buffer.
  [[nodiscard]] Task<> arrived(std::size_t panel);
  /// Waits until all panels are in the buffer, and until all that was sent has left.
  [[nodiscard]] Task<> done();

  /// A panel that has arrived: [rows(), its columns].
  [[nodiscard]] Pending<Tile> load(std::size_t panel) const;
  /// Any block of panels that have arrived: rows of rows(), columns of the whole activation. One load for
  /// each panel that has some of the columns.
  [[nodiscard]] Task<Tile> block(Part rows, Part columns) const;

 private:
  [[nodiscard]] std::vector<Part> messages(const Panel& panel, Part rows) const;
  [[nodiscard]] Ptr place(const Panel& panel) const;
  [[nodiscard]] Pending<Tile> fetch(const Panel& panel, Part rows) const;
  [[nodiscard]] PanelRoute route(const Panel& panel) const;
  void send_on(const Panel& panel, const Tile& tile);
  void expect(std::size_t panel);

  TL& tl_;
  PanelGatherArgs args_;
  PePlace at_;
  ChunkRows rows_;
  std::vector<Panel> panels_;
  std::size_t passed_on_ = 0;                        // panels
  std::vector<std::vector<Pending<void>>> stores_;   // by panel: own rows into the buffer
  std::vector<std::vector<Pending<Tile>>> arrives_;  // by panel: rows of other PEs into the buffer
  std::vector<Pending<void>> sends_;
};

}  // namespace kbsim::llm
