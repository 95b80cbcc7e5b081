#pragma once

#include <cstddef>

#include "meetings.hpp"
#include "mscclpp_chunks.hpp"
#include "step_writer.hpp"

namespace kbsim::inputs::mscclpp {

/// Moves of the current operation: within a rank, to another rank's memory, and from one.
class Moves {
 public:
  Moves(StepWriter& steps, ChunkMap& chunks, Meetings& meetings)
      : steps_{steps}, chunks_{chunks}, meetings_{meetings} {}

  /// Moves each source to its target, or one source to all targets.
  void move();
  /// Copies to the operation's target of that number.
  StepRef copy(const Chunks& src, const Chunks& dst, std::size_t target);
  StepRef put(const Chunks& src, const Chunks& dst, std::size_t target);
  /// Makes the step wait for those packets.
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
