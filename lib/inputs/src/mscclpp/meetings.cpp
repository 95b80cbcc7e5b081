#include "meetings.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

std::size_t index_at(int number) { return static_cast<std::size_t>(number); }

Unsupported shared_by_blocks(const Op& op, std::string_view does) {
  return Unsupported{
      fmt::format("{}: '{}': several thread blocks {} on one channel or semaphore, so that it isn't known "
                  "which comes first",
                  to_string(op.place), op.name, does)};
}

}  // namespace

Meetings::Meetings(const Program& program, PlanDraft& draft) : program_{program}, draft_{draft} {
  for (const Gpu& gpu : program.gpus)
    packets_.emplace_back(index_at(gpu.scratch_chunks) * index_at(program.parts));
}

void Meetings::give(const Key& key, StepRef step, std::pair<int, int> giver, const Op& op) {
  Token& token = tokens_[key];
  if (!token.given.empty() && token.giver != giver) throw shared_by_blocks(op, "signal");
  token.giver = giver;
  token.given.push_back(step);
}

void Meetings::take(const Key& key, StepRef step, const Op& op) {
  Token& token = tokens_[key];
  if (!token.taken.empty() && token.taker != step.block) throw shared_by_blocks(op, "wait");
  token.taker = step.block;
  token.taken.push_back({step, &op});
}

void Meetings::write_packets(int rank, int first, int count, StepRef step, const Op& op) {
  for (int chunk = first; chunk < first + count; ++chunk) {
    StepRef& writer = packets_[index_at(rank)][index_at(chunk)];
    if (writer.block >= 0)
      throw Unsupported{
          fmt::format("{}: '{}' writes packets to chunk {} of rank {}'s scratch, which have been written",
                      to_string(op.place), op.name, chunk / program_.parts, rank)};
    writer = step;
  }
}

void Meetings::read_packets(int rank, int first, int count, StepRef step, const Op& op) {
  readings_.push_back({rank, first, count, {step, &op}});
}

void Meetings::come(int rank, StepRef arrival, StepRef leaving, const Op& op) {
  barriers_[{rank, op.barrier}][arrival.block].push_back({arrival, leaving, &op});
}

void Meetings::settle() {
  for (const auto& [key, token] : tokens_) settle_token(key, token);
  for (const Reading& reading : readings_) settle_reading(reading);
  for (const auto& [key, barrier] : barriers_) settle_barrier(key.first, barrier);
}

void Meetings::settle_token(const Key& key, const Token& token) {
  const auto& [type, rank, peer, number] = key;
  const int there = type == ChannelType::none ? program_.gpus[index_at(rank)].semaphores[index_at(number)]
                                              : 0;  // before it begins
  int left = there;
  std::size_t next = 0;
  for (const Wait& wait : token.taken) {
    if (left-- > 0) continue;
    if (next == token.given.size())
      throw InputError{wait.op->place,
                       fmt::format("'{}' waits for signal {} of rank {} on this channel or semaphore, and {} "
                                   "are given",
                                   wait.op->name, next + 1, peer, token.given.size())};
    draft_.order(rank, wait.step, token.given[next++]);
  }
}

void Meetings::settle_reading(const Reading& reading) {
  for (int chunk = reading.first; chunk < reading.first + reading.count; ++chunk) {
    const StepRef& writer = packets_[index_at(reading.rank)][index_at(chunk)];
    if (writer.block < 0)
      throw InputError{reading.wait.op->place,
                       fmt::format("'{}' waits for packets in chunk {} of rank {}'s scratch, and no step "
                                   "writes them",
                                   reading.wait.op->name, chunk / program_.parts, reading.rank)};
    draft_.order(reading.rank, reading.wait.step, writer);
  }
}

// The first thread block waits for all arrivals, and the others wait for it to leave.
void Meetings::settle_barrier(int rank, const Barrier& barrier) {
  const std::vector<Coming>& first = barrier.begin()->second;
  for (const auto& [block, comings] : barrier) {
    const Op& op = *comings.front().op;
    if (op.barrier_size != 0 && op.barrier_size != static_cast<int>(barrier.size()))
      throw InputError{op.place, fmt::format("barrier {} is of {} thread blocks, and {} come to it",
                                             op.barrier, op.barrier_size, barrier.size())};
    if (comings.size() != first.size())
      throw InputError{op.place,
                       fmt::format("one thread block comes {} times to barrier {}, another {} times",
                                   comings.size(), op.barrier, first.size())};
    for (std::size_t i = 0; i < first.size(); ++i) {
      draft_.order(rank, first[i].leaving, comings[i].arrival);
      if (block != barrier.begin()->first) draft_.order(rank, comings[i].leaving, first[i].leaving);
    }
  }
}

}  // namespace kbsim::inputs::mscclpp
