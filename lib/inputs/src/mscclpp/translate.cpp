#include "translate.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "meetings.hpp"
#include "moves.hpp"
#include "mscclpp_chunks.hpp"
#include "mscclpp_draft.hpp"
#include "step_writer.hpp"
#include "sums.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

// With its buffers, but without steps.
ccl::Plan empty_plan(const Program& program, const std::string& file) {
  constexpr std::int64_t kMostCells = 1 << 24;
  ccl::Plan plan{.name = program.name,
                 .file = file,
                 .protocol = program.protocol,
                 .collective = program.collective,
                 .custom = program.custom,
                 .in_place = program.in_place,
                 .chunks = program.chunks * program.parts,
                 .blocks = std::vector<std::vector<PlanBlock>>(program.gpus.size())};
  std::int64_t cells = 0;
  for (const Gpu& gpu : program.gpus) {
    plan.scratch_chunks.push_back(gpu.scratch_chunks * program.parts);
    if (program.custom && !program.in_place) {
      plan.in_chunks.push_back(gpu.in_chunks * program.parts);
      plan.out_chunks.push_back(gpu.out_chunks * program.parts);
    }
    cells += std::int64_t{2} * plan.chunks + plan.scratch_chunks.back();
  }
  if (cells > kMostCells)
    throw InputError{program.place, fmt::format("the buffers have more than {} chunks", kMostCells)};
  return plan;
}

/// Operations become steps, rank by rank and thread block by thread block.
class Translator {
 public:
  Translator(const Program& program, const std::string& file)
      : program_{program},
        plan_{empty_plan(program, file)},
        draft_{static_cast<int>(program.gpus.size())},
        meetings_{program, draft_},
        steps_{program, draft_},
        chunks_{plan_, program.parts},
        moves_{steps_, chunks_, meetings_},
        sums_{steps_, draft_, chunks_, moves_} {}

  ccl::Plan run() {
    for (int rank = 0; rank < plan_.ranks(); ++rank) {
      for (const ThreadBlock& block : gpu(rank).blocks)
        draft_.add_block(rank, {.id = block.id, .line = block.place.line, .column = block.place.column});
    }
    for (int rank = 0; rank < plan_.ranks(); ++rank) {
      int number = 0;
      for (const ThreadBlock& block : gpu(rank).blocks) {
        for (const Op& op : block.ops) translate(rank, number, op);
        ++number;
      }
    }
    meetings_.settle();
    plan_.channels = std::max(steps_.channels(), 1);
    plan_.blocks = draft_.finish();
    ccl::mark_awaited(plan_);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const Gpu& gpu(int rank) const { return program_.gpus[static_cast<std::size_t>(rank)]; }

  void translate(int rank, int block, const Op& op) {
    steps_.begin(rank, block, op);
    if (op.kind == OpKind::move) moves_.move();
    if (op.kind == OpKind::reduce) sums_.reduce();
    if (op.kind == OpKind::wait) wait(op);
    if (op.kind == OpKind::barrier) come_to_barrier(op);
    if (op.kind == OpKind::signal || op.signals) signal(op);
    if (op.kind == OpKind::sem_acquire || op.kind == OpKind::sem_release) semaphores(op);
  }

  void signal(const Op& op) {
    std::vector<StepRef> sent;
    for (const ChannelEnd& end : op.channels) {
      const Link& link = steps_.link_to(end.peer);
      const StepRef come = steps_.send_token(link);
      sent.push_back(draft_.last(steps_.rank(), link.sender));
      meetings_.give({end.type, end.peer, steps_.rank(), end.number}, come, {steps_.rank(), steps_.block()},
                     op);
    }
    steps_.join(sent);
  }

  void wait(const Op& op) {
    for (const ChannelEnd& end : op.channels)
      meetings_.take({end.type, steps_.rank(), end.peer, end.number}, steps_.add_main(), op);
  }

  void come_to_barrier(const Op& op) {
    steps_.fence();
    const StepRef arrival = steps_.add_main();
    meetings_.come(steps_.rank(), arrival, steps_.add_main(), op);
  }

  void semaphores(const Op& op) {
    const bool gives = op.kind == OpKind::sem_release;
    const int rank = steps_.rank();
    if (gives) steps_.fence();
    for (const int number : op.semaphores) {
      const Meetings::Key key{ChannelType::none, rank, rank, number};
      if (gives) {
        meetings_.give(key, steps_.add_main(), {rank, steps_.block()}, op);
      } else {
        meetings_.take(key, steps_.add_main(), op);
      }
    }
  }

  const Program& program_;
  ccl::Plan plan_;
  PlanDraft draft_;
  Meetings meetings_;
  StepWriter steps_;
  ChunkMap chunks_;
  Moves moves_;
  Sums sums_;
};

}  // namespace

ccl::Plan translated(const Program& program, const std::string& file) {
  return Translator{program, file}.run();
}

}  // namespace kbsim::inputs::mscclpp
