#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/panel_gather.hpp"

namespace kbsim::llm {

inline constexpr std::int64_t kPieceRows = 32;  // a tile's rows of the GEMM engine

/// Columns of a panel at most. A block of weights has as many rows: the first product waits for it.
inline constexpr std::int64_t kWidestPart = 512;

/// Rows of a piece at most, for an activation of m rows: a tile's, if a slot has room for a number of each.
[[nodiscard]] std::int64_t piece_rows(const PeGrid& grid, std::int64_t m);

struct PartGatherArgs {
  PeGrid grid;
  Activation from;
  Ptr buffer;  // in this PE's TCM, of the activation's dtype: room for the chunk's rows of its part
  int chunk = 0, chunks = 1;  // see ChunkRows
  bool by_panel = false;      // rows are few, and come panel by panel; else turn by turn
};

/// Divides the columns of an activation over the PEs of each cube, and brings each PE all rows of its part.
/// Rows go to the part's PE of their own cube, then from cube to cube. All PEs of the grid construct it
/// alike, call start() once, pass_on() for each panel or turn, and end with done().
///
/// A group are the rows of one PE of the cube; each turn another one comes. A group has pieces of few rows. A
/// piece of a panel is a message.
class PartGather {
 public:
  PartGather(TL& tl, const PartGatherArgs& args);

  /// This PE's part, that of the nearest cubes first: panels that are no wider than a message and no
  /// wider than a block of weights should be.
  [[nodiscard]] const std::vector<Panel>& panels() const { return panels_; }
  /// The group of a turn: that of the PE before this one, and so on; the own one comes last.
  [[nodiscard]] int group(int turn) const;
  /// Rows of the chunk.
  [[nodiscard]] std::vector<Part> pieces(int group) const;

  /// Sends the own rows to the PEs of the cube, and expects the others.
  [[nodiscard]] Task<> start();
  /// Waits until the rows of a panel, or of a turn, are there, and sends them on. Does nothing again.
  [[nodiscard]] Task<> pass_on(int number);
  /// [rows of the piece, columns of the panel], of a turn that was passed on.
  [[nodiscard]] const Tile& block(int turn, std::size_t piece, std::size_t panel) const;
  /// [rows of the chunk, columns of the panel], of a panel that was passed on; again for each pass.
  [[nodiscard]] Task<Tile> panel(std::size_t number);
  /// Sends on what is left, and waits until all that was sent has left.
  [[nodiscard]] Task<> done();

 private:
  struct Block {
    int group = 0;
    std::size_t panel = 0;
    Part rows;
    Pending<Tile> arrival;
    Tile tile;
  };
  [[nodiscard]] bool columns_first() const;
  [[nodiscard]] PanelRoute route_of(const Panel& panel) const;
  [[nodiscard]] std::vector<Panel> panels_of(int pe) const;
  [[nodiscard]] std::vector<Block> blocks_of(int turn) const;
  [[nodiscard]] std::vector<Block> blocks_of(std::size_t panel) const;
  [[nodiscard]] Pending<Tile> own_rows(const Panel& panel, Part rows) const;
  [[nodiscard]] Ptr place(const Block& block) const;
  [[nodiscard]] Task<> send_own(int to);
  [[nodiscard]] Task<> pass_block_on(Block* block);
  [[nodiscard]] std::vector<Dir> onward(const Block& block) const;
  [[nodiscard]] Pending<Tile> load_arrived(const Block& block);
  void expect(Block& block);

  TL& tl_;
  PartGatherArgs args_;
  PePlace at_;
  ChunkRows rows_;
  std::vector<Panel> panels_;
  std::vector<std::vector<Block>> blocks_;  // by turn: all pieces of one panel after the other; or by panel
  std::size_t passed_on_ = 0;
  std::vector<Pending<void>> stores_;  // own rows into the buffer
  std::vector<Pending<void>> sends_;
};

}  // namespace kbsim::llm
