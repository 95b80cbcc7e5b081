#include "worker.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/memory.hpp"
#include "kbsim/signals/fork.hpp"
#include "kbsim/signals/watchdog.hpp"

#include "host_name.hpp"
#include "rank_lines.hpp"
#include "words.hpp"

namespace kbsim::sweep {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Lines over a socket.
class Channel {
 public:
  explicit Channel(int socket) : socket_{socket} {}

  void say(const std::string& line) const {
    const std::string text = line + "\n";
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(0);  // the master is gone
      done += static_cast<std::size_t>(n);
    }
  }
  // The next point that is to run; "" when the master is gone.
  std::string order() {
    if (orders_.empty()) return hear();
    std::string first = std::move(orders_.front());
    orders_.pop_front();
    return first;
  }
  // The answer to the last line that was sent; orders that arrive before it are queued.
  std::string answer() {
    std::string line = hear();
    for (; line.starts_with(kRun); line = hear()) orders_.push_back(std::move(line));
    return line;
  }

 private:
  // "" when the master is gone.
  std::string hear() {
    for (;;) {
      const std::size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      std::array<char, 512> buffer;
      const ssize_t n = read(socket_, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return {};
      received_.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

  int socket_;
  std::string received_;
  std::deque<std::string> orders_;
};

class Worker {
 public:
  Worker(int socket, const Job& job, const std::filesystem::path& records)
      : channel_{socket}, job_{job}, keeps_{!records.empty()}, file_{records}, host_{host_name()} {}

  void run_all() {
    say_hangs_to([this](const std::string& text) { channel_.say(fmt::format("{}{}", kHangs, text)); });
    for (std::string line = channel_.order(); !line.empty(); line = channel_.order()) {
      const std::vector<std::string_view> words = words_of(line);
      (void)!ftruncate(STDERR_FILENO, 0);
      run(std::strtoull(std::string{words[1]}.c_str(), nullptr, 10),
          static_cast<Mode>(std::atoi(std::string{words[2]}.c_str())),
          Bytes{std::atoll(std::string{words[3]}.c_str())});
    }
  }

 private:
  void run(std::size_t point, Mode mode, Bytes memory) {
    const Clock::time_point start = Clock::now();
    set_memory_limit(memory);
    Record record{.request = job_.requests[point], .key = job_.requests[point], .host = host_};
    const PointResult result = simulate(point, mode, record);
    end_as(record, result, mode, memory);
    const bool again = mode == Mode::again || (mode == Mode::shared && result.short_of_memory);
    if (!again && !keep(record)) return;
    if (!again) look_into(record);
    channel_.say(fmt::format("done {} {} {:.9f} {:.9f} {} {}", record.exit, record.events, record.seconds,
                             seconds_since(start), result.short_of_memory ? 1 : 0,
                             record.digest.empty() ? "-" : record.digest));
  }

  bool is_wanted(const std::string& key) {
    const bool owns = job_.claims != nullptr && job_.claims->claim(key);
    channel_.say(fmt::format("{}{}", owns ? kOwn : kKey, key));
    if (owns) return true;
    return channel_.answer() != "skip";
  }

  // Notes the point's key, whether its result is known, and the time of its simulation.
  PointResult simulate(std::size_t point, Mode mode, Record& record) {
    Clock::time_point began = Clock::now();
    PointResult result = job_.run(words_of(job_.plan, job_.plan.points[point]), [&](const std::string& key) {
      record.key = key;
      record.known = mode != Mode::again && !is_wanted(key);
      began = Clock::now();
      return !record.known;
    });
    if (result.exit == static_cast<int>(ExitCode::interrupted)) (void)raise(SIGKILL);  // an outside request
    record.seconds = record.known ? 0.0 : seconds_since(began);
    return result;
  }

  static void end_as(Record& record, const PointResult& result, Mode mode, Bytes memory) {
    record.exit = result.exit;
    record.message = result.message;
    record.digest = result.digest;
    record.events = result.events;
    record.document = result.document;
    if (mode != Mode::alone || !result.short_of_memory) return;
    record.end = End::too_large;
    record.limit = static_cast<double>(memory.count());
  }

  bool keep(const Record& record) {
    if (!keeps_) return true;
    try {
      if (const std::string what = job_.options.changed ? job_.options.changed() : ""; !what.empty())
        throw UsageError{what + " has changed while the sweep ran"};
      file_.append(record);
      return true;
    } catch (const UsageError& error) {
      channel_.say(fmt::format("{}{}", kStopFor, error.what()));
      return false;
    }
  }

  // Checks the first document.
  void look_into(const Record& record) {
    if (!job_.options.lacks || looked_ || record.exit != 0 || record.document.empty()) return;
    looked_ = true;
    std::string what = job_.options.lacks(record.document);
    std::ranges::replace(what, '\n', ' ');
    if (!what.empty()) channel_.say(fmt::format("{}{}", kLacks, what));
  }

  Channel channel_;
  const Job& job_;
  bool keeps_;
  bool looked_ = false;
  RecordFile file_;
  std::string host_;
};

// A process group of its own, so that Ctrl-C reaches the master alone; nothing on the master's streams.
void settle_in(pid_t master, int errors, const std::vector<int>& others) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != master) _exit(0);
  (void)setpgid(0, 0);
  for (const int descriptor : others) (void)close(descriptor);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  (void)dup2(nothing, STDIN_FILENO);
  (void)dup2(nothing, STDOUT_FILENO);
  (void)dup2(errors, STDERR_FILENO);
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error as on a full disk
  (void)unsetenv("MILESTONE_FAST");     // it would look at earlier results in place of running
}

}  // namespace

void work(int socket, const Job& job, const std::filesystem::path& records) {
  Worker{socket, job, records}.run_all();
}

Process start_worker(const Job& job, const std::filesystem::path& records, const std::vector<int>& others) {
  std::array<int, 2> ends{};
  const int errors = memfd_create("kbsim worker", MFD_CLOEXEC);
  if (errors < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw UsageError{"no worker can be started: too many files are open"};
  (void)std::fflush(nullptr);
  const pid_t master = getpid();
  const pid_t pid = fork_to_go_on();
  if (pid < 0) throw UsageError{"no worker can be started: there are too many processes"};
  if (pid == 0) {
    (void)close(ends[0]);
    settle_in(master, errors, others);
    try {
      work(ends[1], job, records);
    } catch (const std::exception& error) {  // it goes no further: what is above is the master's
      (void)std::fprintf(stderr, "%s\n", error.what());
      std::abort();
    }
    _exit(0);
  }
  (void)close(ends[1]);
  return {.pid = pid, .socket = ends[0], .errors = errors};
}

std::string last_words(int errors) {
  constexpr off_t kMost = 600;
  const off_t size = lseek(errors, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMost)), '\0');
  const ssize_t n = pread(errors, text.data(), text.size(), std::max<off_t>(0, size - kMost));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  std::ranges::replace(text, '\n', ' ');
  return std::string{trimmed(text)};
}

}  // namespace kbsim::sweep
