#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "kbsim/sim/border.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/simulation.hpp"

namespace kbsim {

/// A simulation in several processes, each with a Simulation of its own, that threads run side by side. They
/// share nothing; what they tell one another goes through a Border each way.
///
/// A window begins with the earliest event of all and lasts the lookahead: in it no process can hear of what
/// another does in it. What is posted comes when the next window begins, by sender and in the order of posts.
/// So the order of a process's events follows from the processes alone, however many threads there are.
class Windows {
 public:
  /// They outlive it. The first is the one that errors which belong to none speak of.
  explicit Windows(std::vector<Simulation*> processes);
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  /// No post may be for less than this after the sender's time. UsageError unless it is positive.
  void set_lookahead(Time lookahead);
  [[nodiscard]] Time lookahead() const { return lookahead_; }
  /// When the present window ends.
  [[nodiscard]] Time end() const { return end_; }

  /// Runs until nothing is left to do in any process, on as many threads as pay, this one among them. Throws
  /// what Simulation::run() would: of several processes that fail the first one's failure, those of one time
  /// by process; a process that fails leaves the others at the end of the window. Then all stand at one time.
  void run(unsigned threads);

  /// The number of the process that this thread runs just now, if it runs one of any Windows.
  [[nodiscard]] static std::optional<std::size_t> running();

  /// Of all processes.
  [[nodiscard]] std::uint64_t events() const;
  /// So far; and in how many of them several threads met.
  [[nodiscard]] std::uint64_t windows() const { return windows_; }
  [[nodiscard]] std::uint64_t meetings() const { return meetings_; }

 private:
  friend class detail::AnyBorder;
  struct Process {
    Simulation* sim;
    std::vector<detail::AnyBorder*> from = {};  // by sender
    Time next{};                                // not after its next event
    std::uint64_t load = 0;                     // time that its last window took the host
    bool failed = false;
    std::exception_ptr thrown = nullptr;  // by an event of nobody's
  };

  void add(detail::AnyBorder& border);
  void begin();
  [[nodiscard]] bool next_window();
  [[nodiscard]] Time earliest() const;
  void choose_busy();
  [[nodiscard]] bool may_go_on();
  void look() const;
  [[nodiscard]] bool pays() const;
  void run_process(Process& process) const;
  void plan();
  void work();
  void finish();
  [[nodiscard]] Process* first_failed();
  void require_finished();
  [[nodiscard]] Time latest() const;
  [[nodiscard]] std::vector<Waiting> waiting() const;

  std::vector<Process> processes_;
  std::vector<detail::AnyBorder*> borders_;
  Time lookahead_{};
  Time stop_at_ = kForever;
  Time end_{};
  std::uint64_t windows_ = 0;
  std::uint64_t meetings_ = 0;
  std::size_t threads_ = 1;
  std::vector<Process*> busy_;   // in the present window, those with most to do first
  std::exception_ptr given_up_;  // why all end
  // Which window it is, how many processes it has, and how many of them have been taken: 32, 16 and 16 bits.
  std::atomic<std::uint64_t> ticket_ = 0;
  std::atomic<std::uint32_t> left_ = 0;  // processes that haven't done with the window
};

}  // namespace kbsim
