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

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/signals/fork.hpp"
#include "kbsim/signals/watchdog.hpp"

#include "host_name.hpp"
#include "rank_lines.hpp"
#include "sweep_words.hpp"

namespace kbsim::sweep {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Lines over a socket, of a process that waits for nothing else.
class Channel {
 public:
  explicit Channel(int socket) : socket_{io_, asio::local::stream_protocol{}, socket} {}

  void say(const std::string& line) {
    const std::string text = line + "\n";
    for (std::size_t done = 0; done < text.size();) {
      error_code error;
      done += asio::write(socket_, asio::buffer(text) + done, error);
      if (error && error != asio::error::interrupted) _exit(0);  // the master is gone
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
    error_code error;
    std::size_t n = 0;
    do {
      n = asio::read_until(socket_, asio::dynamic_buffer(received_), '\n', error);
    } while (error == asio::error::interrupted);
    if (error) return {};
    std::string line = received_.substr(0, n - 1);
    received_.erase(0, n);
    return line;
  }

  asio::io_context io_{1};
  asio::local::stream_protocol::socket socket_;
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
void settle_in(pid_t master, const std::vector<int>& others) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != master) _exit(0);
  (void)setpgid(0, 0);
  for (const int descriptor : others) (void)close(descriptor);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  (void)dup2(nothing, STDIN_FILENO);
  (void)dup2(nothing, STDOUT_FILENO);
  (void)dup2(nothing, STDERR_FILENO);
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error as on a full disk
  (void)unsetenv("MILESTONE_FAST");     // it would look at earlier results in place of running
}

}  // namespace

void work(int socket, const Job& job, const std::filesystem::path& records) {
  Worker{socket, job, records}.run_all();
}

Process start_worker(const Job& job, const std::filesystem::path& records, const std::vector<int>& others) {
  std::array<int, 2> ends{};
  // Not Asio's connect_pair: programs that a plug-in starts would inherit its sockets.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw UsageError{"no worker can be started: too many files are open"};
  (void)std::fflush(nullptr);
  const pid_t master = getpid();
  const pid_t pid = fork_to_go_on();
  if (pid < 0) throw UsageError{"no worker can be started: there are too many processes"};
  if (pid == 0) {
    (void)close(ends[0]);
    settle_in(master, others);
    try {
      work(ends[1], job, records);
    } catch (const std::exception&) {  // it goes no further: what is above is the master's
      std::abort();
    }
    _exit(0);
  }
  (void)close(ends[1]);
  return {.pid = pid, .socket = ends[0]};
}

}  // namespace kbsim::sweep
