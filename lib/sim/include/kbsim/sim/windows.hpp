#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/border.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

namespace detail {
struct WindowGraph;
}  // namespace detail

/// A simulation in several processes, each with a Simulation of its own, that threads run side by side. They
/// share nothing; they communicate through a Border in each direction.
///
/// In a window each process runs as long as no other can affect it: from the earliest events of all, by the
/// lookaheads of the borders between them. The earliest process of all runs until an answer can arrive. Posts
/// arrive when the next window begins, by sender and in the order of posts. So the order of a process's
/// events doesn't depend on the number of threads.
class Windows {
 public:
  /// The processes outlive it. Errors that belong to no process name the first one.
  explicit Windows(const std::vector<Simulation*>& processes);
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;
  ~Windows();

  /// The lookahead of all borders: a post is for at least this long after the sender's time. UsageError
  /// unless it is positive.
  void set_lookahead(Time lookahead);
  /// The least lookahead of all borders.
  [[nodiscard]] Time lookahead() const;

  /// Runs until nothing is left to do in any process, on at most `threads` threads, this one among them.
  /// Throws what Simulation::run() would. If several processes fail, the earliest failure is thrown; at one
  /// time, that of the first process. Others have run to that time, and to the end of their window. Then all
  /// stand at one time.
  void run(unsigned threads);

  /// For tests: as if sharing a window among threads always paid, or never.
  void force_meetings(bool always);

  /// The number of the process that this thread runs just now, if it runs one of any Windows.
  [[nodiscard]] static std::optional<std::size_t> running();

  /// Events of all processes.
  [[nodiscard]] std::uint64_t events() const;
  /// Windows so far, and how many of them several threads shared.
  [[nodiscard]] std::uint64_t windows() const;
  [[nodiscard]] std::uint64_t meetings() const;

  /// For borders, which join it.
  [[nodiscard]] detail::WindowGraph& graph() const;

 private:
  struct Parts;
  void finish();

  std::unique_ptr<Parts> parts_;
};

}  // namespace kbsim
