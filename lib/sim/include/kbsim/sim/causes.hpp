#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/detail/address_table.hpp"

namespace kbsim {

/// How a moment follows from its parent. Reasons and places are numbers whose meaning is their maker's.
struct Why {
  std::uint16_t reason = 0;  // 0: nobody has said
  std::uint32_t place = 0;
  std::int64_t amount = 0;  // bytes, or what else the reason counts
  std::uint32_t line = 0;   // see Causes::line(); 0: of no kernel
  bool queued = false;      // the parent is the end of other work that the same server had before
  friend bool operator==(const Why&, const Why&) = default;
};

/// A time that was computed as the latest of several: `parent` was the last of them. One that was computed
/// back from a later time is earlier than its parent. One that goes in steps is the first step behind its
/// parent, and follows from `other`, a moment of its own time, as long as that is so.
struct Moment {
  Time at{};
  std::uint32_t parent = 0;  // 0: none is known
  std::uint32_t count = 1;   // several of one kind and length, one after the other: `at` is the last one's
  Why why;
  bool tied = false;        // another cause came at the same time as the parent
  bool stepped = false;     // it goes in steps: while all are kept it follows from `other`
  std::uint32_t other = 0;  // the last cause before the parent, while all are kept
};

/// The reason of a moment without length: the later of two.
inline constexpr std::uint16_t kLatest = 0xffff;

class Causes;

/// A counted handle of a moment, or of none. It must not outlive its Causes.
class Cause {
 public:
  Cause() = default;
  Cause(const Cause& other);
  Cause(Cause&& other) noexcept : of_{other.of_}, id_{std::exchange(other.id_, 0)} {}
  Cause& operator=(const Cause& other) {
    Cause{other}.swap(*this);
    return *this;
  }
  inline Cause& operator=(Cause&& other) noexcept;
  ~Cause() {
    if (id_ != 0) [[unlikely]]
      release();
  }
  void swap(Cause& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(id_, other.id_);
  }

  [[nodiscard]] explicit operator bool() const { return id_ != 0; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] const Moment& moment() const;
  [[nodiscard]] Time at() const { return moment().at; }

 private:
  friend class Causes;
  Cause(Causes& of, std::uint32_t id) : of_{&of}, id_{id} {}
  inline void release();

  Causes* of_ = nullptr;
  std::uint32_t id_ = 0;
};

/// The causes of a simulation's times, while somebody wants to know them: a tree of moments, of which those
/// stay that something alive descends from. What runs has a current cause, and so has, by default, what it
/// lets happen at the same time. Who lets something happen later says why, or it is unexplained.
/// Takes at most Options::most moments of 56 bytes, for which runs of equal moments become one. The first
/// Options::all of them keep the causes that weren't last, too; if there are more, none does any longer.
class Causes {
 public:
  struct Options {
    std::size_t most = std::size_t{1} << 26;
    std::size_t all = 0;    // of so many moments, those causes that weren't last, too
    bool optional = false;  // a run goes on where they can't be kept: see give_up()
  };

  explicit Causes(const Time& now) : Causes{now, Options{}} {}
  Causes(const Time& now, const Options& options);
  Causes(const Causes&) = delete;
  Causes& operator=(const Causes&) = delete;

  /// `at` follows from `parent`. LimitError if there are too many. InternalError if it is earlier.
  [[nodiscard]] Cause make(Time at, const Cause& parent, const Why& why, bool tied = false) {
    if (parent && parent.at() > at) [[unlikely]]
      refuse_earlier(at, parent, why);
    return make_any(at, parent, why, tied);
  }
  /// The same of one that `other`, no later than `parent`, was necessary for, too.
  [[nodiscard]] Cause make(Time at, const Cause& parent, const Why& why, const Cause& other) {
    const bool tied = other && parent && later_of(parent, other);
    Cause made = make(at, parent, why, tied);
    if (keeps_all_ && other && other.id_ != parent.id_) hold_other(made, other);
    return made;
  }
  /// The same of one that was computed back from `parent`, which is later.
  [[nodiscard]] Cause make_back(Time at, const Cause& parent, const Why& why) {
    return make_any(at, parent, why, false);
  }
  /// The first step at or behind `parent`: `exactly` is a moment of the same time that says which it is.
  [[nodiscard]] Cause make_stepped(const Cause& parent, const Why& why, const Cause& exactly);
  /// The later of two, the first if they are of one time; either may be none.
  [[nodiscard]] Cause latest(const Cause& a, const Cause& b) {
    const bool second = b && (!a || a.at() < b.at());
    const Cause& last = second ? b : a;
    const Cause& first = second ? a : b;
    if (!keeps_all_ || !first || first.id_ == last.id_) return last;
    return make(last.at(), last, {.reason = kLatest}, first);
  }

  /// Whether causes that weren't last are kept.
  [[nodiscard]] bool keeps_all() const { return keeps_all_; }
  /// Whether they were, until there were too many.
  [[nodiscard]] bool gave_up_all() const { return options_.all > 0 && !keeps_all_; }
  /// Somebody who serves one after the other: a kind and its number, both from 0 on.
  struct Server {
    std::uint16_t kind = 0;
    std::uint32_t number = 0;
  };
  /// While all are kept: `came` is the next that `server` serves in the order in which they come.
  void comes_next(Server server, const Cause& came) {
    if (!keeps_all_) return;
    std::uint32_t& before = last_of(server);
    if (before != 0) {
      orders_.push_back({.first = before, .second = came.id_});  // which holds the first in its place
      retain(came.id_);
    }
    retain(came.id_);
    before = came.id_;
  }
  /// A work of a server whose head and tail come each for a cause: `came` follows from the head's for
  /// `passed`, `tail` from the tail's for `tail_passed`. It is served from `start` to `end` for `work`; if it
  /// came before that, `waited` says for what.
  struct Served {
    Time came{};
    Why passed;
    Time tail{};
    Why tail_passed;
    Time start{};
    Time end{};
    Why waited;
    Why work;
  };
  /// What make(), comes_next() and latest() say of it, in one go: all five moments at most. `head` becomes
  /// why it starts, `tail` and `holder`, which was the end of the work before, why it has left. False, and
  /// nothing is done: not all are kept, there is no room for five, or it isn't as said.
  [[nodiscard]] bool serve(Server server, const Served& work, Cause& head, Cause& tail, Cause& holder);
  /// While all are kept: what followed holds as long as `first` is no later than `second`. Either may be
  /// none.
  void in_order(const Cause& first, const Cause& second);
  /// Moments of which the first was served first, because it came first.
  struct Order {
    std::uint32_t first;
    std::uint32_t second;
  };
  [[nodiscard]] const std::vector<Order>& orders() const { return orders_; }
  /// While all are kept: a condition is met now. Who waits for it goes on because of that, or of what it did
  /// before, whichever is later.
  void met(const void* condition);
  /// What runs now doesn't wait for it, since it is met.
  void found_met(const void* condition);
  /// `event` will go on when something that it waits for happens.
  void waits(const void* event);

  /// From now on nothing follows from anything, for this reason. If they aren't optional: Unsupported.
  void give_up(std::string why);
  /// That reason; empty while they are kept.
  [[nodiscard]] const std::string& given_up() const { return given_up_; }

  /// What the present event happens because of.
  [[nodiscard]] const Cause& current() const { return current_; }
  void set_current(Cause cause) { current_ = std::move(cause); }

  /// Says of the next that is computed or scheduled for the time of `cause` that this is why.
  void because(Cause cause) { stated_ = std::move(cause); }
  /// What has been said so of `t`; else the current cause, if `t` is now; else one that explains nothing.
  [[nodiscard]] Cause of(Time t);
  /// The same where it is known; else none.
  [[nodiscard]] Cause known(Time t);

  /// A line of a kernel as a number: `file` is a literal. Equal lines have equal numbers.
  struct Line {
    const char* file = "";
    std::uint32_t line = 0;
  };
  [[nodiscard]] std::uint32_t line(const Line& at);
  [[nodiscard]] const Line& line(std::uint32_t number) const { return lines_[number]; }

  [[nodiscard]] const Moment& moment(std::uint32_t id) const { return record(id).moment; }

  /// A number that somebody gives a moment, in place of an earlier one; 0: none. It goes with the moment. Of
  /// a run of equal moments that become one the last one's stays.
  void mark(const Cause& cause, std::uint32_t number) { record(cause.id()).mark = number; }
  [[nodiscard]] std::uint32_t mark(std::uint32_t id) const { return record(id).mark; }
  /// That are alive, and the most that ever were.
  [[nodiscard]] std::size_t living() const { return size_ - 1 - free_; }
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] std::size_t peak() const { return size_ - 1; }

  /// For the scheduler: an event is put into a queue, or runs.
  [[gnu::noinline]] void scheduled(const void* event, Time when);
  [[gnu::noinline]] void runs(const void* event);

 private:
  friend class Cause;
  struct Record {
    Moment moment;
    std::uint32_t references = 0;
    std::uint32_t mark = 0;
  };
  // They never move, and are made when they are used.
  static constexpr std::uint32_t kChunkShift = 12;
  static constexpr std::uint32_t kChunk = 1U << kChunkShift;
  using Chunk = std::unique_ptr<std::byte[]>;

  [[nodiscard]] Record* place(std::uint32_t id) const {
    return reinterpret_cast<Record*>(chunks_[id >> kChunkShift].get()) + (id & (kChunk - 1));
  }
  [[nodiscard]] const Record& record(std::uint32_t id) const { return *place(id); }
  [[nodiscard]] Record& record(std::uint32_t id) { return *place(id); }
  void retain(std::uint32_t id) { ++place(id)->references; }
  [[gnu::always_inline]] void release(std::uint32_t id) {
    if (--place(id)->references == 0) [[unlikely]]
      drop(id);
  }
  // None that is free, as long as there is room.
  std::uint32_t allocate() {
    ++made_;
    return first_free_ == 0 && size_ < room_ ? static_cast<std::uint32_t>(size_++) : allocate_slowly();
  }
  [[nodiscard, gnu::always_inline]] Cause make_any(Time at, const Cause& parent, const Why& why, bool tied) {
    const std::uint32_t id = allocate();
    if (!parent || gives_up_) [[unlikely]]
      return alone(id, at);
    retain(parent.id_);
    new (place(id))
        Record{.moment = {.at = at, .parent = parent.id_, .why = why, .tied = tied}, .references = 1};
    return {*this, id};
  }
  [[nodiscard, gnu::cold]] Cause alone(std::uint32_t id, Time at);
  // One after the other, and in one chunk.
  [[nodiscard]] bool has_room_for(std::size_t moments) const {
    return first_free_ == 0 && size_ + moments <= room_ && (size_ & (kChunk - 1)) + moments <= kChunk;
  }
  [[nodiscard]] bool can_serve(const Served& work, const Cause& head, const Cause& tail,
                               const Cause& holder) const;
  [[nodiscard]] std::uint32_t comes_behind(Server server, std::uint32_t came);
  [[nodiscard]] std::uint32_t put_service(const Served& work, std::uint32_t own, std::uint32_t free);
  [[nodiscard]] std::uint32_t put_end(const Served& work, std::uint32_t served, std::uint32_t tail);
  void put(std::uint32_t id, std::uint32_t references, const Moment& moment) {
    new (place(id)) Record{.moment = moment, .references = references};
  }
  void hold_other(const Cause& made, const Cause& other) {
    retain(other.id_);
    record(made.id_).moment.other = other.id_;
  }
  // Of one time, the parent being no earlier.
  [[nodiscard]] static bool later_of(const Cause& parent, const Cause& other) {
    if (other.at() > parent.at()) [[unlikely]]
      refuse_last();
    return other.at() == parent.at();
  }
  [[gnu::cold]] static void refuse_earlier(Time at, const Cause& parent, const Why& why);
  [[noreturn, gnu::cold]] static void refuse_last();
  [[gnu::cold]] std::uint32_t allocate_slowly();
  [[gnu::cold]] void grow();
  void set_room();
  void add_order(std::uint32_t first, std::uint32_t second);
  void drop(std::uint32_t id);
  void free(std::uint32_t id);
  void keep_only_last();
  // That came last, held; 0: nobody has.
  [[nodiscard]] std::uint32_t& last_of(Server server) {
    if (server.kind < came_.size() && server.number < came_[server.kind].size()) [[likely]]
      return came_[server.kind][server.number];
    return first_of(server);
  }
  [[gnu::cold]] std::uint32_t& first_of(Server server);
  void compress();
  [[nodiscard]] bool same_run(const Record& child, const Record& parent) const;

  const Time& now_;
  Options options_;
  std::string given_up_;
  bool gives_up_ = false;
  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;          // records, the first of which is nobody's
  std::size_t room_ = 0;          // up to here nothing has to be looked at
  std::uint32_t first_free_ = 0;  // each is the next one's parent
  std::size_t free_ = 0;
  std::size_t compress_at_;  // so many records
  std::size_t made_ = 0;
  std::vector<Line> lines_;
  Cause current_;
  Cause stated_;
  bool keeps_all_;
  std::vector<Order> orders_;                          // each holds both
  std::vector<std::vector<std::uint32_t>> came_;       // held: last, of servers by kind and number
  boost::unordered_flat_map<const void*, Cause> set_;  // events of processes, and the like
  detail::AddressTable waiting_;                       // why those are there that wait: held
  detail::AddressTable events_;                        // that are queued, and their causes: held
};

inline Cause::Cause(const Cause& other) : of_{other.of_}, id_{other.id_} {
  if (id_ != 0) of_->retain(id_);
}
inline const Moment& Cause::moment() const { return of_->moment(id_); }
[[gnu::always_inline]] inline void Cause::release() { of_->release(id_); }
inline Cause& Cause::operator=(Cause&& other) noexcept {
  if (this == &other) [[unlikely]]
    return *this;
  if (id_ != 0) release();
  of_ = other.of_;
  id_ = std::exchange(other.id_, 0);
  return *this;
}

/// The later of two; the first if they are of one time, or the second is none.
[[nodiscard]] inline const Cause& later(const Cause& a, const Cause& b) {
  return !b || (a && a.at() >= b.at()) ? a : b;
}

}  // namespace kbsim
