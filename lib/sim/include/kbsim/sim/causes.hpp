#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/base/time.hpp"

namespace kbsim {

/// How a moment follows from its parent. Reasons and places are numbers that their makers define.
struct Why {
  std::uint16_t reason = 0;  // 0: not stated
  std::uint32_t place = 0;
  std::int64_t amount = 0;  // bytes, or another unit that the reason counts
  std::uint32_t line = 0;   // see Causes::line(); 0: no kernel's
  bool queued = false;      // the parent is the end of earlier work of the same server
  friend bool operator==(const Why&, const Why&) = default;
};

/// A time that was computed as the latest of several; `parent` was the last of them. A moment that was
/// computed back from a later time is earlier than its parent. A stepped moment is the first step at or after
/// its parent. It follows from `other`, a moment of its own time, as long as that holds.
struct Moment {
  Time at{};
  std::uint32_t parent = 0;  // 0: none is known
  std::uint32_t count = 1;   // consecutive moments of one kind and length; `at` is the last one's
  Why why;
  bool tied = false;        // another cause came at the same time as the parent
  bool stepped = false;     // it goes in steps: while all are kept it follows from `other`
  std::uint32_t other = 0;  // the last cause before the parent, while all are kept
};

/// The reason of a moment without length: the later of two.
inline constexpr std::uint16_t kLatest = 0xffff;

class Causes;
struct CauseTables;

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
    if (keeps_all_ && other && other.id_ != parent.id_) hold_other(made, other);
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
    if (!keeps_all_ || !first || first.id_ == last.id_) return last;
    return make(last.at(), last, {.reason = kLatest}, first);
  }

  /// Whether causes that weren't last are kept.
  [[nodiscard]] bool keeps_all() const { return keeps_all_; }
  /// Whether they were kept until there were too many.
  [[nodiscard]] bool gave_up_all() const { return options_.all > 0 && !keeps_all_; }
  /// A server of one work at a time: its kind and its number, both from 0 on.
  struct Server {
    std::uint16_t kind = 0;
    std::uint32_t number = 0;
  };
  /// While all are kept: `came` is the arrival that `server`, which serves in arrival order, serves next.
  void comes_next(Server server, const Cause& came) {
    if (!keeps_all_) return;
    std::uint32_t& before = last_of(server);
    if (before != 0) {
      orders_.push_back({.first = before, .second = came.id_});  // the order keeps the reference to the first
      retain(came.id_);
    }
    retain(came.id_);
    before = came.id_;
  }
  /// A work of a server, whose head and tail arrive for one cause each. `came` follows from the head's cause
  /// by `passed`, `tail` from the tail's by `tail_passed`. The work is served from `start` to `end`, for the
  /// reason `work`. If it arrived before `start`, `waited` is the reason why it waited.
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
  /// Makes the moments that make(), comes_next() and latest() would make of `work`, at most five, in one
  /// call. `head` becomes the cause of its start; `tail` and `holder`, which was the end of the work before,
  /// become the cause of its leaving. Returns false and changes nothing if not all causes are kept, there is
  /// no room for five, or the times don't fit.
  [[nodiscard]] bool serve(Server server, const Served& work, Cause& head, Cause& tail, Cause& holder);
  /// While all are kept: what followed is valid as long as `first` is no later than `second`. Either may be
  /// none.
  void in_order(const Cause& first, const Cause& second);
  /// Two moments: `first` was served first, because it arrived first.
  struct Order {
    std::uint32_t first;
    std::uint32_t second;
  };
  [[nodiscard]] const std::vector<Order>& orders() const { return orders_; }
  /// While all are kept: a condition is met now. A process that waits for it goes on because of that or of
  /// what it did before, whichever is later.
  void met(const void* condition);
  /// The present event doesn't wait for the condition, since it is met.
  void found_met(const void* condition);
  /// `event` will go on when the thing that it waits for happens.
  void waits(const void* event);

  /// Stops keeping causes, for the reason `why`: from now on no moment has a parent. Unsupported if causes
  /// aren't optional.
  void give_up(std::string why);
  /// The reason of give_up(); empty while causes are kept.
  [[nodiscard]] const std::string& given_up() const { return given_up_; }

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

  /// A line of a kernel as a number: `file` is a literal. Equal lines have equal numbers.
  struct Line {
    const char* file = "";
    std::uint32_t line = 0;
  };
  [[nodiscard]] std::uint32_t line(const Line& at);
  [[nodiscard]] const Line& line(std::uint32_t number) const;

  [[nodiscard]] const Moment& moment(std::uint32_t id) const { return record(id).moment; }

  /// Gives a moment a number, in place of an earlier one; 0: none. The number goes when the moment goes. If a
  /// run of equal moments becomes one, the last one's number stays.
  void mark(const Cause& cause, std::uint32_t number) { record(cause.id()).mark = number; }
  [[nodiscard]] std::uint32_t mark(std::uint32_t id) const { return record(id).mark; }
  /// Numbers of moments: alive now, made so far, and alive at most.
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
  // Records never move, and are made when they are used.
  static constexpr std::uint32_t kChunkShift = 12;
  static constexpr std::uint32_t kChunk = 1U << kChunkShift;

  [[nodiscard]] Record* place(std::uint32_t id) const {
    return chunks_[id >> kChunkShift] + (id & (kChunk - 1));
  }
  [[nodiscard]] const Record& record(std::uint32_t id) const { return *place(id); }
  [[nodiscard]] Record& record(std::uint32_t id) { return *place(id); }
  void retain(std::uint32_t id) { ++place(id)->references; }
  [[gnu::always_inline]] void release(std::uint32_t id) {
    if (--place(id)->references == 0) [[unlikely]]
      drop(id);
  }
  // Fast as long as there is room and no freed record to reuse.
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
  // Whether the next records are consecutive and in one chunk.
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
  // Whether both have one time. The parent must not be earlier.
  [[nodiscard]] static bool later_of(const Cause& parent, const Cause& other) {
    if (other.at() > parent.at()) [[unlikely]]
      refuse_last();
    return other.at() == parent.at();
  }
  [[gnu::cold]] static void refuse_earlier(Time at, const Cause& parent, const Why& why);
  [[noreturn, gnu::cold]] static void refuse_last();
  [[gnu::cold]] std::uint32_t allocate_slowly();
  [[gnu::cold]] void grow();
  void add_chunk();
  void set_room();
  void add_order(std::uint32_t first, std::uint32_t second);
  void drop(std::uint32_t id);
  void free(std::uint32_t id);
  void keep_only_last();
  // The server's last arrival, held; 0: none yet.
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
  std::unique_ptr<CauseTables> tables_;  // what inline functions don't read; memory of the records
  std::vector<Record*> chunks_;
  std::size_t size_ = 0;          // records; the first is unused
  std::size_t room_ = 0;          // below this size an allocation needs no check
  std::uint32_t first_free_ = 0;  // list of free records, linked by `parent`
  std::size_t free_ = 0;
  std::size_t compress_at_;  // at this number of records
  std::size_t made_ = 0;
  Cause current_;
  Cause stated_;
  bool keeps_all_;
  std::vector<Order> orders_;                     // each holds both
  std::vector<std::vector<std::uint32_t>> came_;  // held: last arrivals, by the server's kind and number
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
