#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::hw {

/// The reason why one time of a memory is later than another; `amount` is for IMemoryTiming::delay_terms().
struct Delay {
  Reason reason = Reason::column;
  std::int64_t amount = 0;
};

/// Arithmetic of a memory model's times, without causes. A model with this as its template parameter states
/// each rule once, for explained runs and others.
struct PlainTimes {
  using At = Time;
  [[nodiscard]] static Time time(Time at) { return at; }
  [[nodiscard]] static Time begin() { return Time{0}; }
  [[nodiscard]] static Time after(Time from, Time length, Delay /*why*/) { return from + length; }
  /// The time `length` earlier.
  [[nodiscard]] static Time back(Time from, Time length, Delay /*why*/) { return from - length; }
  [[nodiscard]] static Time latest(std::initializer_list<Time> all) { return std::max(all); }
  [[nodiscard]] static Time earliest(Time a, Time b) { return std::min(a, b); }
  /// `until`, the end of a periodic event; if it is later than `ready`, the reason of the wait is `why`.
  [[nodiscard]] static Time waits(Time /*ready*/, Time until, Delay /*why*/) { return until; }
  /// The first multiple of `step` at or after `at`; `at` itself if `step` is 0.
  [[nodiscard]] static Time edge(Time at, Time step, Delay (* /*steps*/)(std::int64_t)) {
    if (step == Time{0}) return at;
    const Time past = at % step;
    return past == Time{0} ? at : at - past + step;
  }
  /// `last`; if it is later than `ready`, the wait was for other work.
  [[nodiscard]] static Time turn(Time /*ready*/, Time last) { return last; }
  /// While on, times are only compared: causes of times that aren't the latest are dropped.
  static void only_look(bool /*on*/) {}
  [[nodiscard]] static bool keeps_orders() { return false; }
  /// A time that is stored.
  [[nodiscard]] static Time keep(Time at) { return at; }
  /// All later results hold only while these are in this order.
  static void in_order(Time /*first*/, Time /*second*/) {}
};

/// The same with the causes of each time. Only the last argument of latest() becomes a moment, unless all
/// causes are kept.
class CausedTimes {
 public:
  class At {
   public:
    At() = default;
    explicit At(Time at, Cause cause = {}) : at_{at}, from_{std::move(cause)} {}

   private:
    friend class CausedTimes;
    enum class Kind : std::uint8_t { known, after, back, step };
    Time at_{};
    Kind kind_ = Kind::known;
    Cause from_;     // known: its own moment; else what it follows from
    Why why_;        // unless known
    Cause exactly_;  // of a step
  };

  CausedTimes(Causes& causes, NodeId memory);

  [[nodiscard]] static Time time(const At& at) { return at.at_; }
  [[nodiscard]] At begin() const { return At{shared_->begin.at(), shared_->begin}; }
  [[nodiscard]] At after(const At& from, Time length, Delay why) const;
  [[nodiscard]] At back(const At& from, Time length, Delay why) const;
  [[nodiscard]] At latest(std::initializer_list<At> all) const;
  [[nodiscard]] At earliest(const At& a, const At& b) const;
  [[nodiscard]] At waits(const At& ready, const At& until, Delay why) const;
  [[nodiscard]] At edge(const At& at, Time step, Delay (*steps)(std::int64_t)) const;
  void only_look(bool on) const { shared_->looks = on; }
  [[nodiscard]] bool keeps_orders() const { return causes_->keeps_all(); }
  [[nodiscard]] At turn(const At& ready, const At& last) const;
  [[nodiscard]] At keep(const At& at) const { return At{at.at_, cause(at)}; }
  void in_order(const At& first, const At& second) const;

  /// Empty for a time before the start of the run.
  [[nodiscard]] Cause cause(const At& at) const;
  [[nodiscard]] Causes& causes() const { return *causes_; }

 private:
  [[nodiscard]] Why why(Delay delay) const;
  [[nodiscard]] At follow(const At& from, Time at, At::Kind kind, Delay delay) const;

  // Shared by all copies.
  struct Shared {
    Cause begin;
    bool looks = false;
  };

  Causes* causes_;
  NodeId memory_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace kbsim::hw
