#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/digest.hpp"
#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// What a kernel did from `begin` to `end` of its issue clock, by a name of its own.
struct NamedRange {
  std::string name;
  Time begin{};
  Time end{};
  friend bool operator==(const NamedRange&, const NamedRange&) = default;
};

/// What a log keeps of its operations: all of it; or, for runs without values, what was done where and when
/// as part of the digest, and nothing else.
enum class Keep { operations, times };

/// Hears of the operations of a log that keeps them.
class IOpWatch {
 public:
  virtual ~IOpWatch() = default;
  /// It is issued: its id is claimed, and nothing else known of it.
  virtual void reserved(ValueId id) = 0;
  /// `call`: what moves data by its call, "load" or "store", a literal; "": its kind says it.
  virtual void recorded(const Op& op, std::string_view call) = 0;
};

/// The record of a run: for each lane its operations, in the order in which the lane issued them.
class OpLog {
 public:
  explicit OpLog(Keep keep = Keep::operations) : keep_{keep} {}
  [[nodiscard]] bool keeps_operations() const { return keep_ == Keep::operations; }

  /// From now on several threads write it, each its lanes but for operations that another has reserved. Who
  /// reads one has heard of it from its writer's thread.
  void share();

  /// Hears of what is reserved and recorded from now on; null: nobody. It must outlive that.
  void watch(IOpWatch* watch);

  /// Lanes are made before the run, in an order of the machine's, not of events.
  std::uint32_t add_lane(std::string name);

  /// Claims the next id of a lane, at issue; its operation follows with record(), at completion. A log that
  /// keeps times only gives no ids: as if nobody wrote it, no memory has to remember what it holds.
  [[nodiscard]] ValueId reserve(std::uint32_t lane);

  /// Fills in a reserved id. Throws InternalError, naming the operation and its shapes, if its shape
  /// contradicts its inputs or literal, and if the id isn't reserved or was recorded before. A log that keeps
  /// times only checks nothing. `call`: for who watches, and not kept.
  void record(Op op, std::string_view call = {});
  /// What record() keeps of an operation where times are all that is kept.
  struct Times {
    OpKind kind = OpKind::copy;
    std::int64_t elements = 0;  // of the output
    NodeId unit;
    Time start{};
    Time end{};
  };
  /// For who knows no more of it, of such a log.
  void record_times(const Times& op);
  /// The operation before its times are known, which follow with record(): find() gives it from now on.
  void announce(Op op);

  void add_range(std::uint32_t lane, NamedRange range) { lanes_[lane].ranges.push_back(std::move(range)); }
  /// In the order in which they ended.
  [[nodiscard]] const std::vector<NamedRange>& ranges(std::uint32_t lane) const {
    return lanes_[lane].ranges;
  }

  /// The operation that makes a value, or nullptr until it is announced or recorded.
  [[nodiscard]] const Op* find(ValueId id) const;

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  [[nodiscard]] const std::string& lane_name(std::uint32_t lane) const { return lanes_[lane].name; }
  /// Every reserved operation of a lane, in issue order; one neither announced nor recorded has an invalid
  /// id.
  [[nodiscard]] const std::deque<Op>& ops(std::uint32_t lane) const {
    static const std::deque<Op> kNone;
    const Lane& of = lanes_[lane];
    return of.ops != nullptr ? *of.ops : kNone;
  }
  /// How many operations were recorded.
  [[nodiscard]] std::size_t size() const;

  /// For messages: "sip0.cube5.pe3, operation 17 (div, f16 [16, 8])".
  [[nodiscard]] std::string describe(const Op& op) const;

  /// Of all operations, their times, operands and literal contents, and of the ranges; equal for equal runs
  /// that keep the same.
  [[nodiscard]] Digest digest() const;

 private:
  struct Lane {
    std::string name;
    // From the first on; one whose id is invalid is reserved and not yet recorded; one without end announced.
    std::unique_ptr<std::deque<Op>> ops;
    std::vector<NamedRange> ranges;
    std::unique_ptr<std::mutex> growing;  // of ops, where it is shared
  };
  // Threads add to different ones.
  struct alignas(128) Sums {
    std::size_t recorded = 0;
    std::uint64_t times = 0;  // digests, if nothing else is kept: in any order the same
  };
  [[nodiscard]] static std::unique_lock<std::mutex> hold(const Lane& lane) {
    return lane.growing ? std::unique_lock{*lane.growing} : std::unique_lock<std::mutex>{};
  }
  template <class Lanes>
  [[nodiscard]] static auto* slot(Lanes& lanes, ValueId id);
  Op& reserved(const Op& op);
  [[nodiscard]] ValueId next_id(std::uint32_t lane);
  Sums& count_one();
  [[gnu::cold]] ValueId reserve_unusual(std::uint32_t lane);
  [[gnu::cold]] void record_unusual(Op&& op, std::string_view call);

  Keep keep_;
  bool is_shared_ = false;
  bool usual_ = keeps_operations();  // by one thread, and nobody watches
  IOpWatch* watch_ = nullptr;
  std::vector<Lane> lanes_;
  std::vector<Sums> sums_ = std::vector<Sums>(1);
};

}  // namespace kbsim::oplog
