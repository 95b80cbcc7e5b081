#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/signals/fork.hpp"

namespace kbsim::test {

/// A child process that runs `work` and exits with its result, or is ended.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : pid_{fork_to_go_on()} {
    if (pid_ == 0) _exit(work());
  }
  void send(int signal) const { (void)kill(pid_, signal); }
  /// The status of waitpid, once the child has ended.
  [[nodiscard]] int status() const {
    int status = 0;
    (void)waitpid(pid_, &status, 0);
    return status;
  }
  [[nodiscard]] bool lives() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

 private:
  pid_t pid_;
};

/// pass() waits for open(), in any process.
class Gate {
 public:
  Gate() { (void)!pipe(ends_); }
  ~Gate() { (void)close(ends_[0]), (void)close(ends_[1]); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void open() const { (void)!write(ends_[1], "x", 1); }
  void pass() const {
    char one = 0;
    (void)!read(ends_[0], &one, 1);
  }

 private:
  int ends_[2]{};
};

inline void wait(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace kbsim::test
