#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <boost/container/small_vector.hpp>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/oplog/contents.hpp"
#include "kbsim/oplog/op_codes.hpp"
#include "kbsim/oplog/parameters.hpp"

namespace kbsim::oplog {

/// Names a value and the one operation that made it: its recorder (a lane: a PE, a host rank) and its count
/// there. Lanes number their values by themselves, so an id doesn't depend on the order of events.
struct ValueId {
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t lane = kNone;
  std::uint32_t seq = 0;

  [[nodiscard]] bool valid() const { return lane != kNone; }
  friend constexpr auto operator<=>(const ValueId&, const ValueId&) = default;
};

/// Some consecutive bytes of a value. An invalid id stands for unwritten memory.
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

[[nodiscard]] std::string to_string(const ValueId& id);  // "3:17", lane and count; "none"

/// One operation: a node of the dataflow graph, and what it cost. A value, once made, never changes.
struct Op {
  ValueId id;
  OpKind kind = OpKind::copy;
  Parameters params;
  DType dtype = DType::f16;  // of the output
  Shape shape;               // of the output
  NodeId unit;               // the engine that ran it
  Time start{};
  Time end{};
  boost::container::small_vector<Operand, 2> inputs;
  Contents data;
};

}  // namespace kbsim::oplog
