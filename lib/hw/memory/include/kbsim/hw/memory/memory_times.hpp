#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::hw {

/// Why a time of a memory is so much later than another: `amount` is what IMemoryTiming::delay_terms() knows.
struct Delay {
  Reason reason = Reason::column;
  std::int64_t amount = 0;
};

/// How a model of a memory computes its times: as such. What takes these as a parameter says each rule once,
/// for runs that are explained and for others.
struct PlainTimes {
  using At = Time;
  [[nodiscard]] static Time time(Time at) { return at; }
  [[nodiscard]] static Time begin() { return Time{0}; }
  [[nodiscard]] static Time after(Time from, Time length, Delay /*why*/) { return from + length; }
  /// So much earlier.
  [[nodiscard]] static Time back(Time from, Time length, Delay /*why*/) { return from - length; }
  [[nodiscard]] static Time latest(std::initializer_list<Time> all) { return std::max(all); }
  [[nodiscard]] static Time earliest(Time a, Time b) { return std::min(a, b); }
  /// `until`, if it is later than `ready`: the end of what goes in steps, by reason of `why`.
  [[nodiscard]] static Time waits(Time /*ready*/, Time until, Delay /*why*/) { return until; }
  /// The first multiple of `step` at or behind it; 0: that itself.
  [[nodiscard]] static Time edge(Time at, Time step, Delay (* /*steps*/)(std::int64_t)) {
    if (step == Time{0}) return at;
    const Time past = at % step;
    return past == Time{0} ? at : at - past + step;
  }
  /// `last`, where other work was what something that was `ready` waited for.
  [[nodiscard]] static Time turn(Time /*ready*/, Time last) { return last; }
  /// While this is so, times are looked at and not taken: of those that aren't the last nothing is kept.
  static void only_look(bool /*on*/) {}
  [[nodiscard]] static bool keeps_orders() { return false; }
  /// Of a time that is kept.
  [[nodiscard]] static Time keep(Time at) { return at; }
  /// What follows holds as long as these are in this order.
  static void in_order(Time /*first*/, Time /*second*/) {}
};

/// The same with the causes of each time. Of several that a time is the latest of only the last becomes a
/// moment, unless all causes are kept.
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
    Why why_;        // then
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

  /// None of a time before all.
  [[nodiscard]] Cause cause(const At& at) const;
  [[nodiscard]] Causes& causes() const { return *causes_; }

 private:
  [[nodiscard]] Why why(Delay delay) const;
  [[nodiscard]] At follow(const At& from, Time at, At::Kind kind, Delay delay) const;

  // By all copies.
  struct Shared {
    Cause begin;
    bool looks = false;
  };

  Causes* causes_;
  NodeId memory_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace kbsim::hw
