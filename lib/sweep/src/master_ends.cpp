// How points end: by their worker's report, or with their worker.
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"

#include "host_name.hpp"
#include "master.hpp"
#include "process_end.hpp"
#include "sweep_words.hpp"

namespace kbsim::sweep {
namespace {

constexpr int kSignals = 128;
constexpr int kLimit = static_cast<int>(ExitCode::limit);

}  // namespace

// The worker has written that another record has its point's result.
void Master::point_is_known(std::size_t point, const Worker& worker) {
  cache_.add({.request = job_.requests[point], .key = worker.key, .known = true});
  ++tally_.ran;
  stage_.ended();
}

void Master::forget_key(const Worker& worker) {
  if (worker.simulates) keys_.erase(worker.key);
}

std::optional<Master::Reply> Master::reply_in(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 7) return std::nullopt;
  const auto number = [&](std::size_t i) { return std::strtod(std::string{words[i]}.c_str(), nullptr); };
  return Reply{.exit = static_cast<int>(number(1)),
               .events = static_cast<std::uint64_t>(number(2)),
               .simulating = number(3),
               .busy = number(4),
               .is_short = words[5] == "1",
               .digest = std::string{words[6]}};
}

void Master::done(Worker& worker, std::string_view line) {
  std::optional<Reply> reply = reply_in(line);
  if (!reply || !worker.point) {  // no worker says that: it ends, and its point runs again
    return worker.local.kill();
  }
  (void)worker.deadline.cancel();
  deaths_ = 0;
  reply->taken = worker.took = seconds_of(Clock::now() - worker.since);
  worker.unsynced = true;
  forget_key(worker);
  settle(worker, *std::exchange(worker.point, std::nullopt), *reply);
  if (worker.keeps_much)
    replace(worker);
  else if (worker.ahead)
    begins(worker, *std::exchange(worker.ahead, std::nullopt), mode_);
  hand_out();
}

void Master::settle(const Worker& worker, std::size_t point, const Reply& reply) {
  if (mode_ == Mode::again) return compare(point, reply.exit, reply.digest);
  if (!worker.key.empty() && !worker.simulates) return point_is_known(point, worker);
  const bool has_others = worker.mode == Mode::shared && workers_.size() > 1;
  if (reply.is_short && has_others) return large_.push_back(point);
  simulated(worker, point, reply);
}

void Master::simulated(const Worker& worker, std::size_t point, const Reply& reply) {
  Record record{.request = job_.requests[point],
                .key = worker.key.empty() ? job_.requests[point] : worker.key,
                .end = reply.is_short ? End::too_large : End::done,
                .exit = reply.exit,
                .digest = reply.digest,
                .events = reply.events,
                .seconds = reply.simulating,
                .limit = reply.is_short ? static_cast<double>(options_.memory.count()) : 0.0};
  if (reply.is_short && worker.mode == Mode::shared) {  // there is no more memory than it had
    record.message = fmt::format("needs more memory than {} (--memory)", about(options_.memory));
    keep(record);
  }
  if (!looked_ && record.exit == 0) {
    looked_ = true;
    if (!worker.lacks.empty()) stop_for(worker.lacks);
  }
  finished(point, record, reply.busy, reply.taken);
}

void Master::finished(std::size_t point, const Record& record, double busy, double taken) {
  ++tally_.ran;
  tally_.failed += record.exit != 0 ? 1 : 0;
  tally_.busy += busy;
  tally_.simulating += record.seconds;
  stage_.ended();
  schedule_.learn(point, static_cast<double>(record.events), taken);
  cache_.add(record);
  if (tenth_ || tally_.ran * 10 < tally_.points) return;
  tenth_ = Clock::now();
  schedule_.refit();
  tally_.tenth_guess = seconds_left();
}

void Master::compare(std::size_t point, int exit, const std::string& digest) {
  ++tally_.ran;
  stage_.ended();
  const Record* then = cache_.of_request(job_.requests[point]);
  if (then == nullptr) return;
  const auto text = [](int code, const std::string& of) {
    return fmt::format("exit code {}, digest {}", code, of.empty() ? "-" : of);
  };
  const std::string was = text(then->exit, then->digest);
  const std::string is = text(exit, digest);
  if (was != is) differences_.push_back({.point = point, .then = was, .now = is});
}

// A signal from outside, as kill -9, isn't the point's doing: it runs again.
void Master::lost(Worker& worker, int status) {
  const std::size_t point = *worker.point;
  if (worker.killed == Killed::by_timeout)
    return keep_lost(worker, End::timed_out, kLimit,
                     fmt::format("hadn't ended after {:g} s (--timeout)", options_.timeout),
                     options_.timeout);
  if (worker.killed == Killed::by_memory) {
    if (worker.mode == Mode::shared && workers_.size() > 1) return large_.push_back(point);
    return keep_lost(worker, End::too_large, kLimit,
                     fmt::format("needs more memory than {} (--memory)", about(options_.memory)),
                     static_cast<double>(options_.memory.count()));
  }
  constexpr int kHung = static_cast<int>(ExitCode::deadlock);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kHung && !worker.hangs.empty())  // --watchdog
    return keep_lost(worker, End::crashed, kHung, worker.hangs, 0.0);
  const bool from_outside = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  constexpr int kTries = 2;
  constexpr int kTriesIfKilled = 10;
  if (++tries_[point] < (from_outside ? kTriesIfKilled : kTries)) return schedule_.put_back(point);
  const int exit = WIFSIGNALED(status) ? kSignals + WTERMSIG(status) : static_cast<int>(ExitCode::internal);
  keep_lost(worker, End::crashed, exit, fmt::format("crashed: {}", end_of_process(status)), 0.0);
}

void Master::keep_lost(const Worker& worker, End end, int exit, std::string message, double limit) {
  const std::string& request = job_.requests[*worker.point];
  if (mode_ == Mode::again) return compare(*worker.point, exit, "-");
  const Record record{.request = request,
                      .key = worker.key.empty() ? request : worker.key,
                      .end = end,
                      .exit = exit,
                      .message = std::move(message),
                      .seconds = seconds_of(Clock::now() - worker.since),
                      .limit = limit,
                      .host = host_name()};
  keep(record);
  finished(*worker.point, record, record.seconds, record.seconds);
}

void Master::keep(Record record) {
  if (options_.out.empty() || mode_ == Mode::again) return;
  try {
    own_.append(record);
  } catch (const UsageError& error) {
    stop_for(error.what());
  }
}

}  // namespace kbsim::sweep
