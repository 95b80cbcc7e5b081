#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::oplog {

/// Names a value and the one operation that made it: who recorded it (a lane: a PE, a host rank) and its
/// count there. Lanes number their values by themselves, so an id doesn't hang on the order of events.
struct ValueId {
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t lane = kNone;
  std::uint32_t seq = 0;

  [[nodiscard]] bool valid() const { return lane != kNone; }
  friend constexpr auto operator<=>(const ValueId&, const ValueId&) = default;
};

/// Some consecutive bytes of a value. An invalid id stands for memory that nobody wrote.
struct Slice {
  ValueId value;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const Slice&, const Slice&) = default;
};
using Slices = boost::container::small_vector<Slice, 1>;

/// An input: consecutive slices, read as a row-major array.
struct Operand {
  Slices slices;
  Shape shape;
  DType dtype = DType::f16;
};

enum class OpKind : std::uint8_t {
  literal,  // `data`, contents given by the host
  fill,     // every element is `scalar`
  copy,     // input 0 moved, dtype and count unchanged (DMA, IPCQ, host read and write)
  cast,     // input 0 in another dtype
  binary,   // `code` applied to inputs 0 and 1, of equal shape, or a one-element input 1
};

enum class BinaryOp : std::uint8_t { add, sub, mul, div, maximum, minimum };

[[nodiscard]] std::string to_string(const ValueId& id);  // "3:17", lane and count; "none"
[[nodiscard]] std::string_view to_string(OpKind kind);
[[nodiscard]] std::string_view to_string(BinaryOp op);

/// One operation: a node of the dataflow graph, and what it cost. A value, once made, never changes.
struct Op {
  ValueId id;
  OpKind kind = OpKind::copy;
  BinaryOp binary = BinaryOp::add;
  DType dtype = DType::f16;  // of the output
  Shape shape;               // of the output
  NodeId unit;               // the engine that ran it
  Time start{};
  Time end{};
  double scalar = 0.0;
  boost::container::small_vector<Operand, 2> inputs;
  std::shared_ptr<const std::vector<std::byte>> data;
};

}  // namespace kbsim::oplog
