#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// The contents of an array that is read piece by piece, each once and in any order. Rows of a tile take the
/// memory of one piece.
class PiecesRead {
 public:
  /// [at, at + slice.bytes) holds `slice`; unwritten if its value is invalid, as are bytes that are never
  /// added.
  void add(std::int64_t at, const Slice& slice);

  /// The first `bytes` of the array, in address order, neighbours of one value joined.
  [[nodiscard]] Slices all(std::int64_t bytes) const;

 private:
  /// Equal pieces, each `pitch` after the one before: the piece at address a holds the value from a + shift
  /// on.
  struct Rows {
    std::int64_t at = 0;
    std::int64_t bytes = 0;  // of each
    std::int64_t pitch = 0;
    std::int64_t count = 1;
    ValueId value;
    std::int64_t shift = 0;
  };
  [[nodiscard]] bool are_one(std::int64_t bytes) const;
  [[nodiscard]] std::vector<Rows> pieces() const;

  std::vector<Rows> rows_;
};

}  // namespace kbsim::oplog
