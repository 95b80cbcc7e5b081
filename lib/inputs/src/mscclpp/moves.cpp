#include "moves.hpp"

#include <vector>

#include <fmt/format.h>

namespace kbsim::inputs::mscclpp {

void Moves::move() {
  const Op& op = steps_.op();
  const int rank = steps_.rank();
  std::vector<StepRef> done;
  for (std::size_t i = 0; i < op.to.size(); ++i) {
    const std::size_t from = op.from.size() == 1 ? 0 : i;
    const Chunks src = chunks_.of(op.from[from], op);
    const Chunks dst = chunks_.of(op.to[i], op);
    const StepRef step = src.rank != rank   ? get(src, dst)
                         : dst.rank != rank ? put(src, dst, i)
                                            : copy(src, dst, i);
    if (src.rank == rank && from >= op.packets_in) read_packets(src, step);
    done.push_back(step);
  }
  steps_.join(done);
}

StepRef Moves::copy(const Chunks& src, const Chunks& dst, std::size_t target) {
  const bool same = chunks_.place(src) == chunks_.place(dst);
  const StepRef step = same ? steps_.add_main() : steps_.add_main(PlanOp::copy, src, dst);
  if (target >= steps_.op().packets_out) write_packets(dst, step);
  return step;
}

StepRef Moves::put(const Chunks& src, const Chunks& dst, std::size_t target) {
  Link& link = steps_.link_to(dst.rank);
  const StepRef sent = steps_.add_sender(link, {.op = PlanOp::send, .src = src.first, .count = src.count});
  const StepRef stored =
      steps_.add(dst.rank, link.memory, {.op = PlanOp::recv, .dst = dst.first, .count = dst.count});
  if (target >= steps_.op().packets_out) write_packets(dst, stored);
  link.open = true;
  return sent;
}

StepRef Moves::get(const Chunks& src, const Chunks& dst) {
  const Link& link = steps_.request(src);
  return steps_.add(steps_.rank(), link.sender, {.op = PlanOp::recv, .dst = dst.first, .count = dst.count});
}

void Moves::read_packets(const Chunks& src, StepRef step) {
  require_scratch(src);
  meetings_.read_packets(src.rank, src.first.index, src.count, step, steps_.op());
}

void Moves::write_packets(const Chunks& dst, StepRef step) {
  require_scratch(dst);
  meetings_.write_packets(dst.rank, dst.first.index, dst.count, step, steps_.op());
}

void Moves::require_scratch(const Chunks& chunks) const {
  if (chunks.first.buffer != PlanBuffer::scratch)
    throw InputError{steps_.op().place, fmt::format("'{}': packets are in scratch (s)", steps_.op().name)};
}

}  // namespace kbsim::inputs::mscclpp
