#pragma once

#include <cstddef>
#include <vector>

#include "moves.hpp"
#include "mscclpp_chunks.hpp"
#include "mscclpp_draft.hpp"
#include "step_writer.hpp"

namespace kbsim::inputs::mscclpp {

/// Sums of the current operation: of chunks of this rank and of others, into all of its targets.
class Sums {
 public:
  Sums(StepWriter& steps, PlanDraft& draft, ChunkMap& chunks, Moves& moves)
      : steps_{steps}, draft_{draft}, chunks_{chunks}, moves_{moves} {}

  void reduce();

 private:
  [[nodiscard]] std::size_t first_of(const std::vector<Chunks>& sources, const Chunks& sum) const;
  StepRef begin(const std::vector<Chunks>& sources, std::size_t first, const Chunks& sum);
  StepRef add(const Chunks& source, const Chunks& addend, const Chunks& sum, std::size_t number,
              StepRef after);
  void send(const Chunks& sum);
  void require_apart(const std::vector<Chunks>& sources, std::size_t first, const Chunks& sum) const;

  StepWriter& steps_;
  PlanDraft& draft_;
  ChunkMap& chunks_;
  Moves& moves_;
  std::size_t begun_with_ = 0;  // the source that started the sum, beside its first
};

}  // namespace kbsim::inputs::mscclpp
