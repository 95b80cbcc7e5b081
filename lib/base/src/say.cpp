#include "kbsim/base/say.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

namespace kbsim {
namespace {

// While it lives, a pipe without a reader is an error of this thread's write, and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    (void)sigemptyset(&pipe_);
    (void)sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    (void)sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    constexpr timespec kNow{};
    if (!was_pending_) (void)sigtimedwait(&pipe_, nullptr, &kNow);
    (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

void say(std::string_view text) noexcept {
  const int errno_before = errno;
  const NoPipeSignal guard;
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || errno != EINTR)
      break;
  }
  errno = errno_before;
}

std::string harmless(std::string text) {
  constexpr char kDelete = '\x7f';
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == kDelete; }, '?');
  return text;
}

void say_to(std::FILE* stream, std::string_view text) {
  if (stream == stderr) return say(text);
  const NoPipeSignal guard;
  (void)std::fwrite(text.data(), 1, text.size(), stream);
  (void)std::fflush(stream);
}

}  // namespace kbsim
