#include "step_writer.hpp"

#include <algorithm>
#include <utility>

namespace kbsim::inputs::mscclpp {

StepWriter::StepWriter(const Program& program, PlanDraft& draft) : draft_{draft} {
  for (const Gpu& gpu : program.gpus) next_id_.push_back(gpu.blocks.empty() ? 0 : gpu.blocks.back().id + 1);
}

void StepWriter::begin(int rank, int block, const Op& op) {
  rank_ = rank;
  main_ = block;
  op_ = &op;
  mark();
}

StepRef StepWriter::add(int rank, int block, PlanStep step) {
  step.line = op_->place.line;
  step.column = op_->place.column;
  return draft_.add(rank, block, step);
}

StepRef StepWriter::add_main(PlanOp op, const Chunks& src, const Chunks& dst) {
  return add(rank_, main_, {.op = op, .src = src.first, .dst = dst.first, .count = dst.count});
}

StepRef StepWriter::add_sender(const Link& link, const PlanStep& step) {
  const StepRef added = add(rank_, link.sender, step);
  draft_.order(rank_, added, before_);
  return added;
}

StepRef StepWriter::send_token(const Link& link) {
  add_sender(link, {.op = PlanOp::send});
  return add(link.peer, link.memory, {.op = PlanOp::recv});
}

Link& StepWriter::link_to(int peer) {
  const auto [found, is_new] = links_.try_emplace({rank_, main_, peer});
  Link& link = found->second;
  if (!is_new) return link;
  link.peer = peer;
  connect(link);
  return link;
}

void StepWriter::connect(Link& link) {
  const PlanBlock main = draft_.block(rank_, main_);
  const auto new_block = [&](int rank, PlanBlock block) {
    block.id = next_id_[static_cast<std::size_t>(rank)]++;
    block.line = main.line;
    block.column = main.column;
    return draft_.add_block(rank, block);
  };
  link.sender = main.send >= 0 ? new_block(rank_, {}) : main_;
  PlanBlock& sender = draft_.block(rank_, link.sender);
  sender.send = sender.recv = link.peer;
  sender.channel = channels_;
  link.memory = new_block(link.peer, {.send = rank_, .recv = rank_, .channel = channels_++});
}

Link& StepWriter::request(const Chunks& src) {
  Link& link = link_to(src.rank);
  send_token(link);
  add(src.rank, link.memory, {.op = PlanOp::send, .src = src.first, .count = src.count});
  return link;
}

void StepWriter::join(const std::vector<StepRef>& steps) {
  if (std::ranges::all_of(steps, [&](StepRef step) { return step.block == main_; })) return;
  const StepRef joined = add_main();
  for (const StepRef& step : steps) draft_.order(rank_, joined, step);
}

void StepWriter::fence() {
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

}  // namespace kbsim::inputs::mscclpp
