#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/cause.hpp"
#include "kbsim/sim/moments.hpp"

namespace kbsim {

class KernelLines;
class ServerOrders;
struct CauseTables;

/// The causes of a simulation's times, kept on request: a tree of moments. A moment stays while something
/// alive descends from it. An event that runs has a current cause, by default also that of what it schedules
/// for the same time. A later time needs a stated cause, or it is unexplained. Takes at most Options::most
/// moments of 56 bytes; runs of equal moments become one to save room. Up to Options::all moments, causes
/// that weren't last are kept, too; with more, they are dropped for good.
class Causes {
 public:
  struct Options {
    std::size_t most = std::size_t{1} << 26;
    std::size_t all = 0;    // up to this number of moments, causes that weren't last are kept, too
    bool optional = false;  // a run goes on where causes can't be kept: see give_up()
  };

  explicit Causes(const Time& now) : Causes{now, Options{}} {}
  Causes(const Time& now, const Options& options);
  ~Causes();
  Causes(const Causes&) = delete;
  Causes& operator=(const Causes&) = delete;

  /// `at` follows from `parent`. LimitError if there are too many moments. InternalError if `at` is earlier.
  [[nodiscard]] Cause make(Time at, const Cause& parent, const Why& why, bool tied = false) {
    if (parent && parent.at() > at) [[unlikely]]
      refuse_earlier(at, parent, why);
    return make_any(at, parent, why, tied);
  }
  /// The same, for a moment that also needed `other`, which is no later than `parent`.
  [[nodiscard]] Cause make(Time at, const Cause& parent, const Why& why, const Cause& other) {
    const bool tied = other && parent && later_of(parent, other);
    Cause made = make(at, parent, why, tied);
    if (keeps_all_ && other && other.id() != parent.id()) hold_other(made, other);
    return made;
  }
  /// The same, for a moment that was computed back from `parent`, which is later.
  [[nodiscard]] Cause make_back(Time at, const Cause& parent, const Why& why) {
    return make_any(at, parent, why, false);
  }
  /// The first step at or after `parent`; `exactly` is a moment of the same time that says which step it is.
  [[nodiscard]] Cause make_stepped(const Cause& parent, const Why& why, const Cause& exactly);
  /// The later of two, the first if they are of one time; either may be none.
  [[nodiscard]] Cause latest(const Cause& a, const Cause& b) {
    const bool second = b && (!a || a.at() < b.at());
    const Cause& last = second ? b : a;
    const Cause& first = second ? a : b;
    if (!keeps_all_ || !first || first.id() == last.id()) return last;
    return make(last.at(), last, {.reason = kLatest}, first);
  }

  /// Whether causes that weren't last are kept.
  [[nodiscard]] bool keeps_all() const { return keeps_all_; }
  /// Whether they were kept until there were too many.
  [[nodiscard]] bool gave_up_all() const { return options_.all > 0 && !keeps_all_; }
  /// Stops keeping causes, for the reason `why`: from now on no moment has a parent. Unsupported if causes
  /// aren't optional.
  void give_up(std::string why);
  [[nodiscard]] bool gives_up() const { return gives_up_; }
  /// The reason of give_up(); empty while causes are kept.
  [[nodiscard]] const std::string& given_up() const { return given_up_; }

  /// The moments themselves.
  [[nodiscard]] const Moments& moments() const { return moments_; }
  [[nodiscard]] Moments& moments() { return moments_; }
  /// The order in which servers got their works.
  [[nodiscard]] const ServerOrders& orders() const { return *orders_; }
  [[nodiscard]] ServerOrders& orders() { return *orders_; }
  /// Numbers of kernels' lines, for Why::line.
  [[nodiscard]] KernelLines& lines() { return *lines_; }
  [[nodiscard]] const KernelLines& lines() const { return *lines_; }

  /// While all are kept: a condition is met now. A process that waits for it goes on because of that or of
  /// what it did before, whichever is later.
  void met(const void* condition);
  /// The present event doesn't wait for the condition, since it is met.
  void found_met(const void* condition);
  /// `event` will go on when the thing that it waits for happens.
  void waits(const void* event);

  /// The cause of the present event.
  [[nodiscard]] const Cause& current() const { return current_; }
  void set_current(Cause cause) { current_ = std::move(cause); }
  /// States the cause of the next moment that is computed or scheduled for the time of `cause`.
  void because(Cause cause) { stated_ = std::move(cause); }
  /// The cause that because() stated for `t`; else the current one, if `t` is now; else one that explains
  /// nothing.
  [[nodiscard]] Cause of(Time t);
  /// The same if it is known; else none.
  [[nodiscard]] Cause known(Time t);

  /// For the scheduler: an event is put into a queue, or runs.
  [[gnu::noinline]] void scheduled(const void* event, Time when);
  [[gnu::noinline]] void runs(const void* event);

 private:
  [[nodiscard, gnu::always_inline]] Cause make_any(Time at, const Cause& parent, const Why& why, bool tied) {
    const std::uint32_t id = moments_.has_room() ? moments_.append() : allocate_slowly();
    if (!parent || gives_up_) [[unlikely]]
      return alone(id, at);
    moments_.retain(parent.id());
    moments_.put(id, 1, {.at = at, .parent = parent.id(), .why = why, .tied = tied});
    return {moments_, id};
  }
  [[nodiscard, gnu::cold]] Cause alone(std::uint32_t id, Time at);
  void hold_other(const Cause& made, const Cause& other) {
    moments_.retain(other.id());
    moments_[made.id()].other = other.id();
  }
  // Whether both have one time. The parent must not be earlier.
  [[nodiscard]] static bool later_of(const Cause& parent, const Cause& other) {
    if (other.at() > parent.at()) [[unlikely]]
      refuse_last();
    return other.at() == parent.at();
  }
  [[gnu::cold]] void refuse_earlier(Time at, const Cause& parent, const Why& why) const;
  [[noreturn, gnu::cold]] static void refuse_last();
  [[gnu::cold]] std::uint32_t allocate_slowly();
  [[gnu::cold]] void make_room();
  void refuse_more();
  void set_room();
  void keep_only_last();

  const Time& now_;
  Moments moments_;
  Options options_;
  std::string given_up_;
  bool gives_up_ = false;
  bool keeps_all_;
  std::size_t compress_at_;  // at this number of moments
  std::unique_ptr<CauseTables> tables_;
  std::unique_ptr<ServerOrders> orders_;
  std::unique_ptr<KernelLines> lines_;
  Cause current_;
  Cause stated_;
};

}  // namespace kbsim
