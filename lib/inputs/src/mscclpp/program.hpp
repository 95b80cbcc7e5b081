#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/plan_steps.hpp"
#include "kbsim/config/collective.hpp"
#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs::mscclpp {

/// The effect of an operation: moves each source to its target, sums its sources into all targets, or waits.
/// A pipeline holds other operations. Operations of a switch aren't run.
enum class OpKind : std::uint8_t {
  nothing,
  move,
  reduce,
  signal,
  wait,
  barrier,
  sem_acquire,
  sem_release,
  pipeline,
  in_switch
};

/// Chunks of a rank's buffer; for a group of thread blocks, the `part`th of `parts` equal parts of them.
struct ChunkRange {
  int rank = 0;
  PlanBuffer buffer = PlanBuffer::input;
  int index = 0;
  int size = 0;
  int part = 0;
  int parts = 1;
};

/// The medium of a channel; `none` if no channel is needed.
enum class ChannelType : std::uint8_t { memory, port, reducing_switch, none };

/// A channel between two ranks, as one of them sees it: the nth of its type to this peer.
struct ChannelEnd {
  ChannelType type = ChannelType::memory;
  int peer = 0;
  int number = 0;
};

/// An operation. Sources from `packets_in` on are read as packets, and targets from `packets_out` on are
/// written as packets. A reader of a packet waits until it is there.
struct Op {
  OpKind kind = OpKind::nothing;
  bool signals = false;  // after its moves, on its channels
  std::size_t packets_in = SIZE_MAX;
  std::size_t packets_out = SIZE_MAX;
  std::vector<ChunkRange> from = {};
  std::vector<ChunkRange> to = {};
  std::vector<ChannelEnd> channels = {};
  std::vector<int> semaphores = {};
  int barrier = 0;
  int barrier_size = 0;  // thread blocks; 0: not stated
  std::string name = {};
  Place place = {};
};

struct ThreadBlock {
  int id = 0;
  Place place = {};
  std::vector<Op> ops = {};
};

struct Gpu {
  int in_chunks = 0;  // of a custom plan
  int out_chunks = 0;
  int scratch_chunks = 0;
  std::vector<int> semaphores = {};      // their first values
  std::vector<ThreadBlock> blocks = {};  // in the order of their ids
};

/// An execution plan of MSCCL++, with names and numbers resolved.
struct Program {
  std::string name;
  std::string protocol;
  config::Collective collective = config::Collective::all_reduce;
  bool custom = false;  // it names no collective
  bool in_place = false;
  int chunks = 1;    // of the largest of inputs and outputs
  int parts = 1;     // parts of a chunk, for all groups of thread blocks
  Place place = {};  // of the file's first value
  std::vector<Gpu> gpus = {};
};

/// Reads a plan. InputError, with the place, if it isn't one; Unsupported, with the place, for operations
/// that aren't translated.
[[nodiscard]] Program read_program(const Text& text);

}  // namespace kbsim::inputs::mscclpp
