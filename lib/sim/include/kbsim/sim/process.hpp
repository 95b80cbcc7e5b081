#pragma once

#include <coroutine>
#include <exception>
#include <source_location>
#include <string>
#include <utility>

#include "kbsim/sim/detail/process_record.hpp"

namespace kbsim {

namespace detail {
class JoinWait;
}

/// A cheap handle to what spawn() or serve() started; may outlive it and the simulation.
class Process {
 public:
  Process() = default;
  explicit Process(detail::ProcessRecord& record) : record_{&record} { record.retain(); }
  Process(const Process& other) : record_{other.record_} {
    if (record_ != nullptr) record_->retain();
  }
  Process(Process&& other) noexcept : record_{std::exchange(other.record_, nullptr)} {}
  Process& operator=(Process other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~Process() {
    if (record_ != nullptr) record_->release();
  }

  /// The process has returned, thrown, or been cancelled; or there is none.
  [[nodiscard]] bool done() const { return record_ == nullptr || record_->simulation == nullptr; }
  [[nodiscard]] const std::string& name() const { return record_->name; }
  /// Equal for handles to one process; different from that of any other process with a handle.
  [[nodiscard]] const void* id() const { return record_; }

  /// Waits until it is done, and rethrows what it threw; doesn't wait if it is done already. Joining a
  /// cancelled process just returns. Joiners resume in the order of their waits.
  [[nodiscard]] detail::JoinWait join(const std::source_location& at = std::source_location::current()) const;

  /// Ends it where it waits: its locals are destroyed, innermost task first. Does nothing if it is done.
  /// Throws UsageError if a process cancels itself.
  void cancel() const;

 private:
  detail::ProcessRecord* record_ = nullptr;
};

namespace detail {

class [[nodiscard]] JoinWait {
 public:
  JoinWait(ProcessRecord& joined, const std::source_location& at) : joined_{&joined}, at_{at} {
    joined_->retain();
  }
  JoinWait(const JoinWait&) = delete;
  JoinWait& operator=(const JoinWait&) = delete;
  ~JoinWait() { joined_->release(); }

  [[nodiscard]] bool await_ready() const {
    const bool done = joined_->simulation == nullptr;
    if (done && joined_->causes != nullptr) [[unlikely]]
      found_done();
    return done;
  }
  template <class Waiter>
  void await_suspend(std::coroutine_handle<Waiter> waiter) {
    begin(waiter.promise());
  }
  void await_resume() const {
    if (joined_->error) std::rethrow_exception(joined_->error);
  }

 private:
  void begin(PromiseBase& waiter);
  void found_done() const;
  ProcessRecord* joined_;
  std::source_location at_;
};

}  // namespace detail

inline detail::JoinWait Process::join(const std::source_location& at) const { return {*record_, at}; }

}  // namespace kbsim
