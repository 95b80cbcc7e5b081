#include "sums.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inputs::mscclpp {

void Sums::reduce() {
  const Op& op = steps_.op();
  std::vector<Chunks> sources;
  for (const ChunkRange& from : op.from) sources.push_back(chunks_.of(from, op));
  const Chunks sum = chunks_.of(op.to.front(), op);
  const std::size_t first = first_of(sources, sum);
  require_apart(sources, first, sum);
  StepRef last = begin(sources, first, sum);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i != first && i != begun_with_) last = add(sources[i], sum, sum, i, last);
  }
  steps_.join({last});
  steps_.mark();
  send(sum);
}

// The source at the sum's own place; else the first one.
std::size_t Sums::first_of(const std::vector<Chunks>& sources, const Chunks& sum) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].rank == steps_.rank() && chunks_.place(sources[i]) == chunks_.place(sum)) first = i;
  }
  return first;
}

// Starts the sum with its first source, or with that and a remote one.
StepRef Sums::begin(const std::vector<Chunks>& sources, std::size_t first, const Chunks& sum) {
  begun_with_ = first;
  const Chunks& source = sources[first];
  if (chunks_.place(source) == chunks_.place(sum)) {
    const StepRef there = steps_.add_main();
    if (first >= steps_.op().packets_in) moves_.read_packets(source, there);
    return there;
  }
  const auto remote =
      std::ranges::find_if(sources, [&](const Chunks& one) { return one.rank != steps_.rank(); });
  if (remote == sources.end()) return steps_.add_main(PlanOp::copy, source, sum);
  begun_with_ = static_cast<std::size_t>(remote - sources.begin());
  return add(*remote, source, sum, begun_with_, {});
}

// Computes sum = addend + source, after the step `after`.
StepRef Sums::add(const Chunks& source, const Chunks& addend, const Chunks& sum, std::size_t number,
                  StepRef after) {
  StepRef step;
  if (source.rank == steps_.rank()) {
    step = steps_.add_main(PlanOp::reduce, source, sum);
    if (number >= steps_.op().packets_in) moves_.read_packets(source, step);
  } else {
    const Link& link = steps_.request(source);
    step = steps_.add(
        steps_.rank(), link.sender,
        {.op = PlanOp::recv_reduce_copy, .src = addend.first, .dst = sum.first, .count = sum.count});
  }
  draft_.order(steps_.rank(), step, after);
  return step;
}

void Sums::send(const Chunks& sum) {
  const Op& op = steps_.op();
  std::vector<StepRef> done;
  for (std::size_t i = 1; i < op.to.size(); ++i) {
    const Chunks dst = chunks_.of(op.to[i], op);
    done.push_back(dst.rank == steps_.rank() ? moves_.copy(sum, dst, i) : moves_.put(sum, dst, i));
  }
  steps_.join(done);
}

// The sum must not overwrite other sources.
void Sums::require_apart(const std::vector<Chunks>& sources, std::size_t first, const Chunks& sum) const {
  const ccl::PlanPlace to = chunks_.place(sum);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ccl::PlanPlace from = chunks_.place(sources[i]);
    if (sources[i].rank != steps_.rank() || from.buffer != to.buffer) continue;
    const int apart = from.index - to.index;
    if (std::abs(apart) >= sum.count || (i == first && apart == 0)) continue;
    throw Unsupported{fmt::format("{}: '{}' (rank {}) overwrites one of its sources before it is read",
                                  to_string(steps_.op().place), steps_.op().name, steps_.rank())};
  }
}

}  // namespace kbsim::inputs::mscclpp
