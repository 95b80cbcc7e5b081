#include "kbsim/oplog/log.hpp"

#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"

#include "check.hpp"

namespace kbsim::oplog {
namespace {

const WorkKind kLog{"op log"};
constexpr Time kAnnounced = kForever;  // the end of an operation without times

std::uint64_t digest_of_times(const Op& op) {
  Digest digest;
  digest.add(static_cast<std::uint8_t>(op.kind)).add(op.shape.elements()).add(op.unit.value());
  return digest.add(op.start.count()).add(op.end.count()).value();
}

}  // namespace

std::uint32_t OpLog::add_lane(std::string name) {
  lanes_.push_back({.name = std::move(name), .ops = {}, .ranges = {}});
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

ValueId OpLog::reserve(std::uint32_t lane) {
  ensure(lane < lanes_.size(), [&] { return fmt::format("there is no lane {}", lane); });
  if (!keeps_operations()) return {};
  std::deque<Op>& ops = lanes_[lane].ops;
  ops.emplace_back();
  return {.lane = lane, .seq = static_cast<std::uint32_t>(ops.size() - 1)};
}

void OpLog::record(Op op) {
  const WorkScope scope{kLog};
  if (!keeps_operations()) {
    times_ += digest_of_times(op);
    ++recorded_;
    return;
  }
  reserved(op) = std::move(op);
  ++recorded_;
}

void OpLog::announce(Op op) {
  if (!keeps_operations()) return;
  op.end = kAnnounced;
  reserved(op) = std::move(op);
}

Op& OpLog::reserved(const Op& op) {
  const bool reserved = op.id.lane < lanes_.size() && op.id.seq < lanes_[op.id.lane].ops.size();
  if (!reserved) throw InternalError{fmt::format("value {} was never reserved", to_string(op.id))};
  Op& slot = lanes_[op.id.lane].ops[op.id.seq];
  if (slot.id.valid() && slot.end != kAnnounced) throw InternalError{describe(op) + " is recorded twice"};
  if (const std::string text = contradiction(op); !text.empty()) {
    throw InternalError{describe(op) + ": " + text};
  }
  return slot;
}

const Op* OpLog::find(ValueId id) const {
  if (id.lane >= lanes_.size() || id.seq >= lanes_[id.lane].ops.size()) return nullptr;
  const Op& op = lanes_[id.lane].ops[id.seq];
  return op.id.valid() ? &op : nullptr;
}

std::string OpLog::describe(const Op& op) const {
  return fmt::format("{}, operation {} ({}, {} {})", lane_name(op.id.lane), op.id.seq,
                     name_of(op.kind, op.params), to_string(op.dtype), to_string(op.shape));
}

}  // namespace kbsim::oplog
