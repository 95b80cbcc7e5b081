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

/// A phase of a kernel, from `begin` to `end` of its issue clock, under a name of its own.
struct NamedRange {
  std::string name;
  Time begin{};
  Time end{};
  friend bool operator==(const NamedRange&, const NamedRange&) = default;
};

/// The part of its operations that a log keeps: all of it; or, for runs without values, only a digest of
/// which operation ran where and when.
enum class Keep { operations, times };

/// Observes the operations of a log that keeps them.
class IOpWatch {
 public:
  virtual ~IOpWatch() = default;
  /// An operation is issued: its id is claimed, and nothing else is known of it.
  virtual void reserved(ValueId id) = 0;
  /// `call`: the call that moves data, "load" or "store", a literal; "": the kind says it.
  virtual void recorded(const Op& op, std::string_view call) = 0;
};

/// The record of a run: for each lane its operations, in the order in which the lane issued them.
class OpLog {
 public:
  explicit OpLog(Keep keep = Keep::operations) : keep_{keep} {}
  [[nodiscard]] bool keeps_operations() const { return keep_ == Keep::operations; }

  /// From now on several threads write it, each its lanes except for operations that another has reserved. A
  /// reader of an operation has learned of it from its writer's thread.
  void share();

  /// Observes what is reserved and recorded from now on; null: no observer. It must outlive that.
  void watch(IOpWatch* watch);

  /// Lanes are made before the run, in an order of the machine's, not of events.
  std::uint32_t add_lane(std::string name);

  /// Claims the next id of a lane, at issue; its operation follows with record(), at completion. A log that
  /// only keeps times gives invalid ids, as of unwritten bytes: no memory has to remember its contents.
  [[nodiscard]] ValueId reserve(std::uint32_t lane);

  /// Fills in a reserved id. Throws InternalError, naming the operation and its shapes, if its shape
  /// contradicts its inputs or literal, and if the id isn't reserved or was recorded before. A log that only
  /// keeps times checks nothing. `call` is for observers, and not kept.
  void record(Op op, std::string_view call = {});
  /// The part of an operation that record() uses where only times are kept.
  struct Times {
    OpKind kind = OpKind::copy;
    std::int64_t elements = 0;  // of the output
    NodeId unit;
    Time start{};
    Time end{};
  };
  /// For such a log, and callers that know no more of the operation.
  void record_times(const Times& op);
  /// Counts operations of such a log that were done again without being recorded: the digest is without them.
  void repeat(std::size_t operations) { sums_.front().recorded += operations; }
  /// Adds an operation before its times are known, which follow with record(). find() gives it from now on.
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

  /// A digest of all operations, their times, operands and literal contents, and of the ranges; equal for
  /// equal runs that keep the same.
  [[nodiscard]] Digest digest() const;

 private:
  struct Lane {
    std::string name;
    // Null before the first. An invalid id: reserved and not yet recorded; no end: announced.
    std::unique_ptr<std::deque<Op>> ops;
    std::vector<NamedRange> ranges;
    std::unique_ptr<std::mutex> growing;  // of ops, where it is shared
  };
  // Threads add to different ones.
  struct alignas(128) Sums {
    std::size_t recorded = 0;
    std::uint64_t times = 0;  // sum of digests, in any order the same, if nothing else is kept
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
  bool usual_ = keeps_operations();  // one thread writes, and there is no observer
  IOpWatch* watch_ = nullptr;
  std::vector<Lane> lanes_;
  std::vector<Sums> sums_ = std::vector<Sums>(1);
};

}  // namespace kbsim::oplog
