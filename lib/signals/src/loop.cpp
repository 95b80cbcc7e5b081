#include "loop.hpp"

#include <future>
#include <system_error>

#include <boost/asio/dispatch.hpp>
#include <unistd.h>

#include "signal_numbers.hpp"

namespace kbsim {
namespace {

sigset_t ours() {
  sigset_t set;
  (void)sigemptyset(&set);
  for (const int signal : kStops) (void)sigaddset(&set, signal);
  (void)sigaddset(&set, kProgress);
  return set;
}

sigset_t all_but_ours() {
  sigset_t set;
  (void)sigfillset(&set);
  for (const int signal : kStops) (void)sigdelset(&set, signal);
  (void)sigdelset(&set, kProgress);
  return set;
}

}  // namespace

Loop::Loop() { (void)pthread_sigmask(SIG_SETMASK, nullptr, &before_); }

Loop::~Loop() { stop(); }

// A new thread begins with the signals blocked that its maker has blocked.
void Loop::start() {
  const sigset_t mine = ours();
  const sigset_t others = all_but_ours();
  sigset_t now;
  (void)pthread_sigmask(SIG_SETMASK, &others, &now);
  try {
    thread_ = std::thread{[this] { io_.run(); }};
    (void)pthread_sigmask(SIG_SETMASK, &now, nullptr);
    (void)pthread_sigmask(SIG_BLOCK, &mine, nullptr);
  } catch (const std::system_error&) {
    (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

void Loop::stop() {
  if (!listens()) return;
  io_.stop();
  thread_.join();
  io_.restart();
}

void Loop::run(const std::function<void()>& act) {
  std::promise<void> done;
  boost::asio::dispatch(io_, [&] {
    act();
    done.set_value();
  });
  done.get_future().wait();
}

// Until it is another program, the child has this process's handlers, which would notify this process.
pid_t Loop::fork_to_exec() {
  sigset_t all;
  sigset_t now;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &now);
  const pid_t child = fork();
  if (child == 0 && listens()) {
    for (const int signal : kStops) {
      if (signal != SIGHUP || std::signal(SIGHUP, SIG_IGN) != SIG_IGN) (void)std::signal(signal, SIG_DFL);
    }
    (void)std::signal(kProgress, SIG_DFL);
    now = before_;
  }
  (void)pthread_sigmask(SIG_SETMASK, &now, nullptr);
  return child;
}

pid_t Loop::fork_to_go_on(const std::function<void()>& in_child) {
  using Context = boost::asio::execution_context;
  if (!listens()) return fork();
  stop();
  io_.notify_fork(Context::fork_prepare);
  const pid_t child = fork();
  io_.notify_fork(child == 0 ? Context::fork_child : Context::fork_parent);
  if (child == 0) in_child();
  start();
  return child;
}

}  // namespace kbsim
