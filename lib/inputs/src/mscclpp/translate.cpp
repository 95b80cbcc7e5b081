#include "translate.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "meetings.hpp"
#include "plan_draft.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

constexpr std::int64_t kMostCells = 1 << 24;
constexpr std::int64_t kMostMoved = 1 << 24;

/// Chunks of the plan, which are parts of the program's.
struct Chunks {
  int rank = 0;
  PlanChunk first = {};
  int count = 0;
};

/// How a thread block reaches another rank's memory: by the thread block there that stands for it.
struct Link {
  int sender = 0;  // of this rank: the thread block itself, or one beside it
  int memory = 0;  // of the other rank
  int peer = 0;
  bool open = false;  // what was put last may not have arrived
};

class Translator {
 public:
  Translator(const Program& program, const std::string& file)
      : program_{program}, draft_{static_cast<int>(program.gpus.size())}, meetings_{program, draft_} {
    plan_ = {.name = program.name,
             .file = file,
             .protocol = program.protocol,
             .collective = program.collective,
             .in_place = program.in_place,
             .chunks = program.chunks * program.parts,
             .blocks = std::vector<std::vector<PlanBlock>>(program.gpus.size())};
    std::int64_t cells = 0;
    for (const Gpu& gpu : program.gpus) {
      plan_.scratch_chunks.push_back(gpu.scratch_chunks * program.parts);
      cells += std::int64_t{2} * plan_.chunks + plan_.scratch_chunks.back();
      next_id_.push_back(gpu.blocks.empty() ? 0 : gpu.blocks.back().id + 1);
    }
    if (cells > kMostCells)
      throw InputError{program.place, fmt::format("the buffers have more than {} chunks", kMostCells)};
  }

  ccl::Plan run() {
    for (int rank = 0; rank < plan_.ranks(); ++rank) {
      for (const ThreadBlock& block : gpu(rank).blocks)
        draft_.add_block(rank, {.id = block.id, .line = block.place.line, .column = block.place.column});
    }
    for (rank_ = 0; rank_ < plan_.ranks(); ++rank_) {
      for (main_ = 0; main_ < static_cast<int>(gpu(rank_).blocks.size()); ++main_) {
        for (const Op& op : gpu(rank_).blocks[static_cast<std::size_t>(main_)].ops) translate(op);
      }
    }
    meetings_.settle();
    plan_.channels = std::max(channels_, 1);
    plan_.blocks = draft_.finish();
    ccl::mark_awaited(plan_);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const Gpu& gpu(int rank) const { return program_.gpus[static_cast<std::size_t>(rank)]; }

  void translate(const Op& op) {
    op_ = &op;
    before_ = draft_.last(rank_, main_);
    if (op.kind == OpKind::move) move();
    if (op.kind == OpKind::reduce) reduce();
    if (op.kind == OpKind::wait) wait();
    if (op.kind == OpKind::barrier) come_to_barrier();
    if (op.kind == OpKind::signal || op.signals) signal();
    if (op.kind == OpKind::sem_acquire || op.kind == OpKind::sem_release) semaphores();
  }

  // ---- single steps

  StepRef add(int rank, int block, PlanStep step) {
    step.line = op_->place.line;
    step.column = op_->place.column;
    return draft_.add(rank, block, step);
  }
  StepRef add_main(PlanOp op = PlanOp::nop, const Chunks& src = {}, const Chunks& dst = {}) {
    return add(rank_, main_, {.op = op, .src = src.first, .dst = dst.first, .count = dst.count});
  }
  // Of a link's sender, after all that this thread block did before the operation.
  StepRef add_sender(const Link& link, const PlanStep& step) {
    const StepRef added = add(rank_, link.sender, step);
    draft_.order(rank_, added, before_);
    return added;
  }
  StepRef send_token(const Link& link) {
    add_sender(link, {.op = PlanOp::send});
    return add(link.peer, link.memory, {.op = PlanOp::recv});
  }

  Link& link_to(int peer) {
    const auto [found, is_new] = links_.try_emplace({rank_, main_, peer});
    Link& link = found->second;
    if (!is_new) return link;
    link.peer = peer;
    link.sender = main_;
    const PlanBlock main = draft_.block(rank_, main_);
    const bool taken = main.send >= 0;
    if (taken)
      link.sender = draft_.add_block(
          rank_,
          {.id = next_id_[static_cast<std::size_t>(rank_)]++, .line = main.line, .column = main.column});
    PlanBlock& sender = draft_.block(rank_, link.sender);
    sender.send = sender.recv = peer;
    sender.channel = channels_;
    link.memory = draft_.add_block(peer, {.id = next_id_[static_cast<std::size_t>(peer)]++,
                                          .send = rank_,
                                          .recv = rank_,
                                          .channel = channels_++,
                                          .line = main.line,
                                          .column = main.column});
    return link;
  }

  // The thread block goes on when these steps of the rank have ended.
  void join(const std::vector<StepRef>& steps) {
    if (std::ranges::all_of(steps, [&](StepRef step) { return step.block == main_; })) return;
    const StepRef joined = add_main();
    for (const StepRef& step : steps) draft_.order(rank_, joined, step);
  }

  [[nodiscard]] Chunks chunks(const ChunkRange& range) {
    const int there = plan_.chunks_of(range.buffer, range.rank) / program_.parts;
    if (range.size > there || range.index > there - range.size)
      throw InputError{op_->place,
                       fmt::format("'{}': chunks {} to {} of rank {}'s buffer '{}' aren't there: it has {}",
                                   op_->name, range.index, range.index + range.size - 1, range.rank,
                                   kPlanBuffers[static_cast<std::size_t>(range.buffer)], there)};
    const int size = range.size * (program_.parts / range.parts);
    moved_ += size;
    if (moved_ > kMostMoved)
      throw InputError{op_->place,
                       fmt::format("a plan that moves more than {} chunks isn't read", kMostMoved)};
    return {range.rank, {range.buffer, range.index * program_.parts + range.part * size}, size};
  }

  // ---- moves

  void move() {
    std::vector<StepRef> steps;
    for (std::size_t i = 0; i < op_->to.size(); ++i) {
      const std::size_t from = op_->from.size() == 1 ? 0 : i;
      const Chunks src = chunks(op_->from[from]);
      const Chunks dst = chunks(op_->to[i]);
      const StepRef step = src.rank != rank_   ? get(src, dst)
                           : dst.rank != rank_ ? put(src, dst, i)
                                               : copy(src, dst, i);
      if (src.rank == rank_ && from >= op_->packets_in) read_packets(src, step);
      steps.push_back(step);
    }
    join(steps);
  }

  StepRef copy(const Chunks& src, const Chunks& dst, std::size_t target) {
    const bool same = place(src) == place(dst);
    const StepRef step = same ? add_main() : add_main(PlanOp::copy, src, dst);
    if (target >= op_->packets_out) write_packets(dst, step);
    return step;
  }

  StepRef put(const Chunks& src, const Chunks& dst, std::size_t target) {
    Link& link = link_to(dst.rank);
    const StepRef sent = add_sender(link, {.op = PlanOp::send, .src = src.first, .count = src.count});
    const StepRef stored =
        add(dst.rank, link.memory, {.op = PlanOp::recv, .dst = dst.first, .count = dst.count});
    if (target >= op_->packets_out) write_packets(dst, stored);
    link.open = true;
    return sent;
  }

  // Asks for chunks; the sender's next step receives them.
  Link& request(const Chunks& src) {
    Link& link = link_to(src.rank);
    send_token(link);
    add(src.rank, link.memory, {.op = PlanOp::send, .src = src.first, .count = src.count});
    return link;
  }

  StepRef get(const Chunks& src, const Chunks& dst) {
    const Link& link = request(src);
    return add(rank_, link.sender, {.op = PlanOp::recv, .dst = dst.first, .count = dst.count});
  }

  // ---- sums

  void reduce() {
    std::vector<Chunks> sources;
    for (const ChunkRange& from : op_->from) sources.push_back(chunks(from));
    const Chunks sum = chunks(op_->to.front());
    std::size_t first = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].rank == rank_ && place(sources[i]) == place(sum)) first = i;
    }
    require_apart(sources, first, sum);
    StepRef last = begin_sum(sources, first, sum);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i != first && i != begun_with_) last = add_to_sum(sources[i], sum, sum, i, last);
    }
    join({last});
    before_ = draft_.last(rank_, main_);
    send_sum(sum);
  }

  // The sum holds its first source, or that and a remote one.
  StepRef begin_sum(const std::vector<Chunks>& sources, std::size_t first, const Chunks& sum) {
    begun_with_ = first;
    const Chunks& source = sources[first];
    if (place(source) == place(sum)) {
      const StepRef there = add_main();
      if (first >= op_->packets_in) read_packets(source, there);
      return there;
    }
    const auto remote = std::ranges::find_if(sources, [&](const Chunks& one) { return one.rank != rank_; });
    if (remote == sources.end()) return add_main(PlanOp::copy, source, sum);
    begun_with_ = static_cast<std::size_t>(remote - sources.begin());
    return add_to_sum(*remote, source, sum, begun_with_, {});
  }

  // sum = addend + source, after that step.
  StepRef add_to_sum(const Chunks& source, const Chunks& addend, const Chunks& sum, std::size_t number,
                     StepRef after) {
    StepRef step;
    if (source.rank == rank_) {
      step = add_main(PlanOp::reduce, source, sum);
      if (number >= op_->packets_in) read_packets(source, step);
    } else {
      const Link& link = request(source);
      step = add(rank_, link.sender,
                 {.op = PlanOp::recv_reduce_copy, .src = addend.first, .dst = sum.first, .count = sum.count});
    }
    draft_.order(rank_, step, after);
    return step;
  }

  void send_sum(const Chunks& sum) {
    std::vector<StepRef> steps;
    for (std::size_t i = 1; i < op_->to.size(); ++i) {
      const Chunks dst = chunks(op_->to[i]);
      steps.push_back(dst.rank == rank_ ? copy(sum, dst, i) : put(sum, dst, i));
    }
    join(steps);
  }

  // No other source is changed while the sum is made.
  void require_apart(const std::vector<Chunks>& sources, std::size_t first, const Chunks& sum) const {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].rank != rank_ || place(sources[i]).buffer != place(sum).buffer) continue;
      const int apart = place(sources[i]).index - place(sum).index;
      if (std::abs(apart) >= sum.count || (i == first && apart == 0)) continue;
      throw Unsupported{fmt::format("{}: '{}' (rank {}) overwrites one of its sources before it is read",
                                    to_string(op_->place), op_->name, rank_)};
    }
  }

  [[nodiscard]] ccl::PlanPlace place(const Chunks& chunks) const {
    return ccl::place_of(plan_, chunks.rank, chunks.first);
  }

  // ---- waits

  void read_packets(const Chunks& src, StepRef step) {
    require_scratch(src);
    meetings_.read_packets(src.rank, src.first.index, src.count, step, *op_);
  }
  void write_packets(const Chunks& dst, StepRef step) {
    require_scratch(dst);
    meetings_.write_packets(dst.rank, dst.first.index, dst.count, step, *op_);
  }
  void require_scratch(const Chunks& chunks) const {
    if (chunks.first.buffer != PlanBuffer::scratch)
      throw InputError{op_->place, fmt::format("'{}': packets are in scratch (s)", op_->name)};
  }

  void signal() {
    std::vector<StepRef> sent;
    for (const ChannelEnd& end : op_->channels) {
      Link& link = link_to(end.peer);
      const StepRef come = send_token(link);
      sent.push_back(draft_.last(rank_, link.sender));
      meetings_.give({end.type, end.peer, rank_, end.number}, come, {rank_, main_}, *op_);
    }
    join(sent);
  }

  void wait() {
    for (const ChannelEnd& end : op_->channels)
      meetings_.take({end.type, rank_, end.peer, end.number}, add_main(), *op_);
  }

  // What was put has arrived before other thread blocks of the rank are told of it.
  void fence() {
    std::vector<StepRef> answers;
    const auto first = links_.lower_bound({rank_, main_, 0});
    for (auto at = first; at != links_.end() && at->first < Key{rank_, main_ + 1, 0}; ++at) {
      Link& link = at->second;
      if (!std::exchange(link.open, false)) continue;
      send_token(link);
      add(link.peer, link.memory, {.op = PlanOp::send});
      answers.push_back(add(rank_, link.sender, {.op = PlanOp::recv}));
    }
    join(answers);
  }

  void come_to_barrier() {
    fence();
    const StepRef arrival = add_main();
    meetings_.come(rank_, arrival, add_main(), *op_);
  }

  void semaphores() {
    const bool gives = op_->kind == OpKind::sem_release;
    if (gives) fence();
    for (const int number : op_->semaphores) {
      const Meetings::Key key{'s', rank_, rank_, number};
      if (gives) {
        meetings_.give(key, add_main(), {rank_, main_}, *op_);
      } else {
        meetings_.take(key, add_main(), *op_);
      }
    }
  }

  using Key = std::tuple<int, int, int>;  // rank, thread block, peer

  const Program& program_;
  ccl::Plan plan_;
  PlanDraft draft_;
  Meetings meetings_;
  std::map<Key, Link> links_;
  std::vector<int> next_id_;  // of thread blocks that the file doesn't have, by rank
  int channels_ = 0;
  std::int64_t moved_ = 0;
  int rank_ = 0;  // whose operation is translated
  int main_ = 0;  // its thread block
  const Op* op_ = nullptr;
  StepRef before_ = {};         // the thread block's last step before it
  std::size_t begun_with_ = 0;  // the source that a sum has begun with, beside its first
};

}  // namespace

ccl::Plan translated(const Program& program, const std::string& file) {
  return Translator{program, file}.run();
}

}  // namespace kbsim::inputs::mscclpp
