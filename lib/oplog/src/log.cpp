#include "kbsim/oplog/log.hpp"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"

#include "log_check.hpp"

namespace kbsim::oplog {
namespace {

const WorkKind kLog{"op log"};
constexpr Time kAnnounced = kForever;  // the end of an operation without times

constexpr std::size_t kPlaces = 16;
std::atomic<std::size_t> threads{0};

// The place of a thread's own sums; if there are many threads, several share one.
std::size_t place_of_thread() {
  thread_local const std::size_t place = threads.fetch_add(1, std::memory_order_relaxed) % kPlaces;
  return place;
}

std::uint64_t digest_of(const OpLog::Times& op) {
  Digest digest;
  digest.add(static_cast<std::uint8_t>(op.kind)).add(op.elements).add(op.unit.value());
  return digest.add(op.start.count()).add(op.end.count()).value();
}

}  // namespace

void OpLog::share() {
  is_shared_ = true;
  sums_.resize(kPlaces);
  usual_ = false;
  for (Lane& lane : lanes_) lane.growing = std::make_unique<std::mutex>();
}

std::uint32_t OpLog::add_lane(std::string name) {
  lanes_.push_back({.name = std::move(name), .ops = {}, .ranges = {}, .growing = {}});
  if (is_shared_) lanes_.back().growing = std::make_unique<std::mutex>();
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

void OpLog::watch(IOpWatch* watch) {
  watch_ = watch;
  usual_ = keeps_operations() && watch_ == nullptr && !is_shared_;
}

ValueId OpLog::next_id(std::uint32_t lane) {
  std::unique_ptr<std::deque<Op>>& ops = lanes_[lane].ops;
  const auto lock = hold(lanes_[lane]);
  if (ops == nullptr) [[unlikely]]
    ops = std::make_unique<std::deque<Op>>();
  ops->emplace_back();
  return {.lane = lane, .seq = static_cast<std::uint32_t>(ops->size() - 1)};
}

ValueId OpLog::reserve(std::uint32_t lane) {
  ensure(lane < lanes_.size(), [&] { return fmt::format("there is no lane {}", lane); });
  if (!usual_) [[unlikely]]
    return reserve_unusual(lane);
  return next_id(lane);
}

ValueId OpLog::reserve_unusual(std::uint32_t lane) {
  if (!keeps_operations()) return {};
  const ValueId id = next_id(lane);
  if (watch_ != nullptr) watch_->reserved(id);
  return id;
}

void OpLog::record(Op op, std::string_view call) {
  const WorkScope scope{kLog};
  if (!usual_) [[unlikely]]
    return record_unusual(std::move(op), call);
  reserved(op) = std::move(op);
  ++sums_.front().recorded;
}

void OpLog::record_times(const Times& op) {
  const WorkScope scope{kLog};
  Sums& sums = count_one();
  const std::uint64_t digest = digest_of(op);
  if (is_shared_)
    std::atomic_ref{sums.times}.fetch_add(digest, std::memory_order_relaxed);
  else
    sums.times += digest;
}

OpLog::Sums& OpLog::count_one() {
  if (!is_shared_) return ++sums_.front().recorded, sums_.front();
  Sums& sums = sums_[place_of_thread()];
  std::atomic_ref{sums.recorded}.fetch_add(1, std::memory_order_relaxed);
  return sums;
}

void OpLog::record_unusual(Op&& op, std::string_view call) {
  if (!keeps_operations()) return record_times({op.kind, op.shape.elements(), op.unit, op.start, op.end});
  (void)count_one();
  Op& known = reserved(op);
  known = std::move(op);
  if (watch_ != nullptr) watch_->recorded(known, call);
}

void OpLog::announce(Op op) {
  if (!keeps_operations()) return;
  op.end = kAnnounced;
  reserved(op) = std::move(op);
}

std::size_t OpLog::size() const {
  std::size_t all = 0;
  for (const Sums& sums : sums_) all += sums.recorded;
  return all;
}

// Null if there is none. Operations stay where they are while their lane grows.
template <class Lanes>
auto* OpLog::slot(Lanes& lanes, ValueId id) {
  using Found = decltype(&lanes.front().ops->front());
  if (id.lane >= lanes.size()) return Found{};
  auto& lane = lanes[id.lane];
  const auto lock = hold(lane);
  return lane.ops != nullptr && id.seq < lane.ops->size() ? &(*lane.ops)[id.seq] : Found{};
}

Op& OpLog::reserved(const Op& op) {
  Op* const found = slot(lanes_, op.id);
  if (found == nullptr) throw InternalError{fmt::format("value {} was never reserved", to_string(op.id))};
  if (found->id.valid() && found->end != kAnnounced) throw InternalError{describe(op) + " is recorded twice"};
  if (const std::string text = contradiction(op); !text.empty()) {
    throw InternalError{describe(op) + ": " + text};
  }
  return *found;
}

const Op* OpLog::find(ValueId id) const {
  const Op* const op = slot(lanes_, id);
  return op != nullptr && op->id.valid() ? op : nullptr;
}

std::string OpLog::describe(const Op& op) const {
  return fmt::format("{}, operation {} ({}, {} {})", lane_name(op.id.lane), op.id.seq,
                     name_of(op.kind, op.params), to_string(op.dtype), to_string(op.shape));
}

}  // namespace kbsim::oplog
