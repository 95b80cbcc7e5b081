#include "signals.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <string_view>

#include <unistd.h>

namespace kbsim::app {
namespace {

host::Session* running = nullptr;  // what the handlers act on

// A line put together without memory of the heap, as a signal handler must.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const auto n = std::min(text.size(), static_cast<std::size_t>(buffer_.end() - end_));
    end_ = std::copy_n(text.begin(), n, end_);
    return *this;
  }
  Line& operator<<(std::uint64_t number) {
    end_ = std::to_chars(end_, buffer_.end(), number).ptr;
    return *this;
  }
  void write() const {
    (void)!::write(STDERR_FILENO, buffer_.data(), static_cast<std::size_t>(end_ - buffer_.data()));
  }

 private:
  std::array<char, 160> buffer_{};
  char* end_ = buffer_.data();
};

void print_progress(int) {
  Simulation& sim = running->sim();
  Line line;
  line << "kbsim: simulated " << static_cast<std::uint64_t>(sim.now().count() / 1000) << " ns so far, "
       << sim.events() << " events\n";
  line.write();
}

// A request that comes before the run has begun is forgotten: hence again, every second.
void interrupt(int) {
  running->interrupt();
  (void)alarm(1);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  (void)sigaction(signal, &action, nullptr);
}

}  // namespace

Signals::Signals(host::Session& session) {
  running = &session;
  handle(SIGINT, interrupt, static_cast<int>(SA_RESETHAND | SA_RESTART));
  handle(SIGALRM, interrupt, SA_RESTART);
  handle(SIGUSR1, print_progress, SA_RESTART);
}

Signals::~Signals() {
  (void)alarm(0);
  for (const int signal : {SIGINT, SIGALRM, SIGUSR1}) handle(signal, SIG_DFL, 0);
  running = nullptr;
}

}  // namespace kbsim::app
