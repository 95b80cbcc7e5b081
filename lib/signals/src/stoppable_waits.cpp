// Waits of the calling thread that a signal asking for the end can interrupt.
#include "kbsim/signals/stoppable_waits.hpp"

#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/signals/on_stop.hpp"

namespace kbsim {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Returns at once where the host's kernel has no descriptors of processes.
void await_without_status(pid_t child, StopOfChild stop) {
  const auto descriptor =
      static_cast<int>(syscall(SYS_pidfd_open, child, 0));  // glibc 2.36 declares it for C alone
  if (descriptor < 0) return;
  asio::io_context io{1};
  asio::posix::stream_descriptor process{io, descriptor};
  process.async_wait(asio::posix::descriptor_base::wait_read, [](const error_code&) {});
  std::optional<OnStop> on_stop;
  if (stop == StopOfChild::passed_on) {
    on_stop.emplace([&](int signal) { asio::post(io, [child, signal] { (void)kill(child, signal); }); });
  }
  io.run();
}

}  // namespace

bool pause_for(std::chrono::milliseconds time) {
  asio::io_context io{1};
  asio::steady_timer timer{io, time};
  bool whole = false;
  timer.async_wait([&](const error_code& error) { whole = !error; });
  const OnStop on_stop{[&](int) { asio::post(io, [&] { timer.cancel(); }); }};
  io.run();
  return whole;
}

int await_child(pid_t child, StopOfChild stop) {
  await_without_status(child, stop);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    throw UsageError{fmt::format("the end of process {} can't be learnt: {}", child,
                                 std::generic_category().message(errno))};
  }
  return status;
}

}  // namespace kbsim
