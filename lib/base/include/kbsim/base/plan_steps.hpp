#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbsim {

/// A step of a collective's plan: what a thread block does next. In the order of their definitions:
/// send src; dst = received; dst = received, and send it; dst = received + src; send received + src;
/// dst = received + src, and send it; dst = dst + src; dst = src; nothing.
enum class PlanOp : std::uint8_t {
  send,
  recv,
  recv_copy_send,
  recv_reduce_copy,
  recv_reduce_send,
  recv_reduce_copy_send,
  reduce,
  copy,
  nop
};

/// Their names in plans' files, in the order of the enum.
inline constexpr auto kPlanOps =
    std::to_array<std::string_view>({"s", "r", "rcs", "rrc", "rrs", "rrcs", "re", "cpy", "nop"});
[[nodiscard]] constexpr std::string_view to_string(PlanOp op) {
  return kPlanOps[static_cast<std::size_t>(op)];
}

/// How a step uses its queues and its operands.
struct PlanOpTraits {
  bool receives = false;
  bool sends = false;
  bool reads = false;   // its src
  bool stores = false;  // its dst
};
[[nodiscard]] constexpr PlanOpTraits traits_of(PlanOp op) {
  constexpr std::array<PlanOpTraits, 9> kTraits{
      {{.sends = true, .reads = true},
       {.receives = true, .stores = true},
       {.receives = true, .sends = true, .stores = true},
       {.receives = true, .reads = true, .stores = true},
       {.receives = true, .sends = true, .reads = true},
       {.receives = true, .sends = true, .reads = true, .stores = true},
       {.reads = true, .stores = true},
       {.reads = true, .stores = true},
       {}}};
  return kTraits[static_cast<std::size_t>(op)];
}

/// A rank's buffers.
enum class PlanBuffer : std::uint8_t { input, output, scratch };
inline constexpr std::string_view kPlanBuffers = "ios";  // their letters, in the order of the enum

struct PlanChunk {
  PlanBuffer buffer = PlanBuffer::input;
  int index = 0;
  friend bool operator==(const PlanChunk&, const PlanChunk&) = default;
};

/// A step moves `count` consecutive chunks as one message. Before it begins, step `after_step` of thread
/// block `after_block` (an index among the rank's) has ended.
struct PlanStep {
  PlanOp op = PlanOp::nop;
  PlanChunk src = {};
  PlanChunk dst = {};
  int count = 0;
  int after_block = -1;  // none
  int after_step = -1;
  bool awaited = false;  // another thread block's step comes after it
  int line = 0;          // in the plan's file; 0: it has none
  int column = 0;
  friend bool operator==(const PlanStep& a, const PlanStep& b) {
    return a.op == b.op && a.src == b.src && a.dst == b.dst && a.count == b.count &&
           a.after_block == b.after_block && a.after_step == b.after_step;
  }
};

/// A thread block: its steps in order, and the ranks that it sends to and receives from (-1: none), by the
/// connection of that channel.
struct PlanBlock {
  int id = 0;
  int send = -1;
  int recv = -1;
  int channel = 0;
  std::vector<PlanStep> steps = {};
  int line = 0;
  int column = 0;
  friend bool operator==(const PlanBlock& a, const PlanBlock& b) {
    return a.id == b.id && a.send == b.send && a.recv == b.recv && a.channel == b.channel &&
           a.steps == b.steps;
  }
};

/// The label that a thread block gives the queue that it sends by, or the one that it receives from.
[[nodiscard]] std::string plan_label(const PlanBlock& block, bool sends);

}  // namespace kbsim
