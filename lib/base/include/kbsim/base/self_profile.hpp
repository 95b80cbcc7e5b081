#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbsim {

/// A kind of the simulator's own work, as --profile-self names it; one for each name. If there are more kinds
/// than can be counted, the last are one, "others".
class WorkKind {
 public:
  constexpr WorkKind() = default;  // none in particular
  explicit WorkKind(std::string_view name);
  [[nodiscard]] std::uint8_t number() const { return number_; }
  friend bool operator==(WorkKind, WorkKind) = default;

 private:
  friend class WorkScope;
  friend class RunningWork;
  std::uint8_t number_ = 0;
};

namespace self_profile {

/// Reads the kind of work outside of all scopes: in a simulation, that of its running process.
struct Reader {
  std::uint8_t (*read)(const void* of) = nullptr;
  const void* of = nullptr;
};
inline constinit std::atomic<bool> on = false;
inline constinit thread_local std::atomic<std::uint8_t> scope = 0;
inline constinit thread_local Reader reader{};

/// Samples what this thread does from now on, at a fixed rate of wall time. For the rest of the process.
void start();
[[nodiscard]] inline bool is_on() { return on.load(std::memory_order_relaxed); }
/// Sets the scope; returns the one before. Only this thread's signal handler reads it.
inline std::uint8_t enter(std::uint8_t work) {
  const std::uint8_t before = scope.load(std::memory_order_relaxed);
  scope.store(work, std::memory_order_relaxed);
  return before;
}
/// Sets the reader; a sample meanwhile finds none.
inline void read_by(Reader next) {
  reader.read = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  reader.of = next.of;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  reader.read = next.read;
}
/// The work of this thread where it runs no simulation and is in no scope.
void phase(WorkKind work);

/// Shares of the samples so far, largest first; they sum to 1.
struct Row {
  std::string work;
  double share = 0.0;
  double error = 0.0;  // its standard deviation
};
struct Shares {
  double seconds = 0.0;   // of wall time
  double interval = 0.0;  // seconds between two samples that aren't late
  double cost = 0.0;      // share of the time that samples take
  std::uint64_t samples = 0;
  std::vector<Row> rows;
};
[[nodiscard]] Shares shares();

}  // namespace self_profile

/// This thread does such work as long as the scope lives; not for a coroutine's frame. Costs a load and a
/// branch while profiling is off.
class WorkScope {
 public:
  explicit WorkScope(WorkKind work) {
    if (self_profile::is_on()) [[unlikely]]
      before_ = self_profile::enter(work.number());
  }
  ~WorkScope() {
    if (self_profile::is_on()) [[unlikely]]
      (void)self_profile::enter(before_);
  }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  std::uint8_t before_ = 0;
};

/// As long as it lives, `reader` gives the work of this thread outside of all scopes.
class RunningWork {
 public:
  explicit RunningWork(self_profile::Reader reader)
      : scope_{self_profile::enter(0)}, before_{self_profile::reader} {
    self_profile::read_by(reader);
  }
  ~RunningWork() {
    self_profile::read_by(before_);
    (void)self_profile::enter(scope_);
  }
  RunningWork(const RunningWork&) = delete;
  RunningWork& operator=(const RunningWork&) = delete;

 private:
  std::uint8_t scope_;
  self_profile::Reader before_;
};

}  // namespace kbsim
