#pragma once

#include <cstddef>

#include "chunks.hpp"
#include "meetings.hpp"
#include "step_writer.hpp"

namespace kbsim::inputs::mscclpp {

/// Moves of the operation that is written: within a rank, to another rank's memory, and from one.
class Moves {
 public:
  Moves(StepWriter& steps, ChunkMap& chunks, Meetings& meetings)
      : steps_{steps}, chunks_{chunks}, meetings_{meetings} {}

  /// Each source to its target; one source to all.
  void move();
  /// To the operation's target of that number.
  StepRef copy(const Chunks& src, const Chunks& dst, std::size_t target);
  StepRef put(const Chunks& src, const Chunks& dst, std::size_t target);
  /// The step waits for those packets.
  void read_packets(const Chunks& src, StepRef step);

 private:
  StepRef get(const Chunks& src, const Chunks& dst);
  void write_packets(const Chunks& dst, StepRef step);
  void require_scratch(const Chunks& chunks) const;

  StepWriter& steps_;
  ChunkMap& chunks_;
  Meetings& meetings_;
};

}  // namespace kbsim::inputs::mscclpp
