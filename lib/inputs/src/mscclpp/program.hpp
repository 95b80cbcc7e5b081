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

/// What an operation does: moves each source to its target, sums its sources into all targets, or waits. A
/// pipeline holds others; one of a switch isn't run.
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

/// Chunks of a rank's buffer; of a group of thread blocks, the `part`th of `parts` equal parts of them.
struct ChunkRange {
  int rank = 0;
  PlanBuffer buffer = PlanBuffer::input;
  int index = 0;
  int size = 0;
  int part = 0;
  int parts = 1;
};

/// What a channel leads through; `none` of what needs no channel.
enum class ChannelType : std::uint8_t { memory, port, reducing_switch, none };

/// One of the channels between two ranks, as one of them sees it: the nth of those of its type to this peer.
struct ChannelEnd {
  ChannelType type = ChannelType::memory;
  int peer = 0;
  int number = 0;
};

/// An operation. Sources from `packets_in` on are read, and targets from `packets_out` on are written, as
/// packets: who reads one waits until it is there.
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
  int barrier_size = 0;  // thread blocks; 0: the file doesn't say
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
  int parts = 1;     // by which all groups of thread blocks divide a chunk
  Place place = {};  // of the file's first value
  std::vector<Gpu> gpus = {};
};

/// InputError with the place for what isn't such a plan; Unsupported, with the place, for operations that
/// aren't translated.
[[nodiscard]] Program read_program(const Text& text);

}  // namespace kbsim::inputs::mscclpp
