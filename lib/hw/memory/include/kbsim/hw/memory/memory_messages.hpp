#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::hw {

/// A control packet to a memory: send me these bytes.
struct ReadRequest {
  static constexpr BodyTraits kTraits{.name = "read request", .order = 1, .cut_through = false};
  [[nodiscard]] std::uint64_t subject() const { return static_cast<std::uint64_t>(address); }

  std::int64_t address = 0;  // within the memory
  Bytes bytes;
  NodeId reply_to;  // where the data goes
  Token token = 0;
};

/// The bytes asked for, as a response to `reply_to`, by the route from memory to there.
struct ReadData {
  static constexpr BodyTraits kTraits{.name = "read data", .order = 2};

  oplog::Slices contents;
  Token token = 0;
};

/// Bytes to be stored at an address.
struct WriteData {
  static constexpr BodyTraits kTraits{.name = "write data", .order = 3};
  [[nodiscard]] std::uint64_t subject() const { return static_cast<std::uint64_t>(address); }

  std::int64_t address = 0;
  oplog::Slice contents;
  NodeId reply_to;  // receives the acknowledgement
  Token token = 0;
};

/// A write is served.
struct WriteAck {
  static constexpr BodyTraits kTraits{.name = "write acknowledgement", .order = 4};
  [[nodiscard]] std::uint64_t subject() const { return token; }

  Token token = 0;
};

struct Atomic;

/// Elements to be read and changed in one go; their old values return as ReadData.
struct AtomicRequest {
  static constexpr BodyTraits kTraits{.name = "atomic request", .order = 5, .cut_through = false};
  [[nodiscard]] std::uint64_t subject() const { return static_cast<std::uint64_t>(address); }

  std::int64_t address = 0;
  std::shared_ptr<const Atomic> atomic;
  std::size_t part = 0;  // index in atomic->parts
  NodeId reply_to;       // where the data goes
  Token token = 0;
};

/// A control packet to a memory: send me this word when it meets the condition.
struct SignalRequest {
  static constexpr BodyTraits kTraits{.name = "signal request", .order = 6, .cut_through = false};
  [[nodiscard]] std::uint64_t subject() const { return word.subject(); }

  ReadRequest word;
  DType dtype = DType::i32;
  Condition until;
};

}  // namespace kbsim::hw
