#include "master.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/memory.hpp"
#include "kbsim/sweep/ranks.hpp"

#include "host_name.hpp"
#include "rank_lines.hpp"
#include "words.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kTicksOfASecond = 10;
constexpr int kSignals = 128;
constexpr int kLimit = static_cast<int>(ExitCode::limit);

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// Its resident pages.
Bytes memory_of(pid_t process) {
  std::ifstream in{fmt::format("/proc/{}/statm", process)};
  std::int64_t all = 0;
  std::int64_t resident = 0;
  in >> all >> resident;
  return Bytes{resident * sysconf(_SC_PAGESIZE)};
}

std::string end_of_process(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("its process ended with exit code {}", WEXITSTATUS(status));
  return fmt::format("its process was ended by SIG{}", sigabbrev_np(WTERMSIG(status)));
}

}  // namespace

bool stands(const Record& record, const PoolOptions& options) {
  switch (record.end) {
    case End::done: return true;
    case End::crashed: return false;
    case End::timed_out: return options.timeout > 0.0 && record.limit >= options.timeout;
    case End::too_large: return record.limit >= static_cast<double>(options.memory.count());
  }
  return false;
}

Master::Master(const Job& job, Cache& cache, const PoolOptions& options, std::vector<std::size_t> points,
               Mode mode)
    : job_{job},
      cache_{cache},
      options_{options},
      mode_{mode},
      schedule_{job.plan, points},
      own_{options.out.empty() ? "" : new_record_file(options.out).replace_extension(".master.records")},
      stage_{"points", points.size()},
      progress_{points.size(), options.progress} {
  tally_.points = points.size();
  for (std::size_t i = 0; i < job.requests.size(); ++i) {
    if (const Record* known = cache.of_request(job.requests[i]))
      schedule_.learn(i, static_cast<double>(known->events), known->seconds);
  }
}

Master::~Master() {
  for (const std::unique_ptr<Worker>& worker : workers_) close(*worker);
}

void Master::run() {
  const std::size_t jobs = std::min<std::size_t>(std::max(1U, options_.jobs), tally_.points);
  for (std::size_t i = 0; i < jobs; ++i) workers_.push_back(std::make_unique<Worker>());
  for (int rank = 1; options_.ranks != nullptr && rank < options_.ranks->size(); ++rank) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->rank = rank;
  }
  for (const std::unique_ptr<Worker>& worker : workers_) start(*worker);
  hand_out();
  hear_ranks();
  tick();
  io_.run();
  sync();
  tally_.wall = seconds_of(Clock::now() - start_);
  if (tenth_) tally_.tenth_left = seconds_of(Clock::now() - *tenth_);
}

Bytes Master::share() const {
  return Bytes{options_.memory.count() /
               static_cast<std::int64_t>(std::max<std::size_t>(workers_.size(), 1))};
}

std::size_t Master::busy() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(workers_, [](const auto& worker) { return worker->point.has_value(); }));
}

bool Master::has_work() const {
  return tally_.full.empty() && !tally_.interrupted && (schedule_.pending() > 0 || !large_.empty());
}

void Master::start(Worker& worker) {
  worker.works = true;
  worker.killed = Killed::no;
  if (worker.rank > 0) return;
  std::vector<int> others;
  for (const std::unique_ptr<Worker>& each : workers_) {
    if (each->process.socket >= 0) others.insert(others.end(), {each->process.socket, each->process.errors});
  }
  if (!options_.out.empty() && mode_ != Mode::again) worker.records = new_record_file(options_.out);
  io_.notify_fork(boost::asio::execution_context::fork_prepare);
  worker.process = start_worker(job_, worker.records, others);
  io_.notify_fork(boost::asio::execution_context::fork_parent);
  worker.stream = std::make_unique<boost::asio::posix::stream_descriptor>(io_, worker.process.socket);
  worker.heard.clear();
  ++worker.number;
  listen(worker);
}

// However its process is; what it wrote stays.
void Master::close(Worker& worker) {
  if (!std::exchange(worker.works, false)) return;
  if (worker.rank > 0) return options_.ranks->send(worker.rank, std::string{kStop});
  (void)kill(worker.process.pid, SIGKILL);
  (void)waitpid(worker.process.pid, nullptr, 0);
  worker.stream.reset();
  (void)::close(worker.process.errors);
  worker.process = {};
}

void Master::replace(Worker& worker) {
  if (worker.unsynced) sync_file(worker.records);
  worker.unsynced = false;
  close(worker);
  if (has_work()) start(worker);
}

void Master::listen(Worker& worker) {
  boost::asio::async_read_until(
      *worker.stream, boost::asio::dynamic_buffer(worker.heard), '\n',
      [this, &worker, number = worker.number](const boost::system::error_code& error, std::size_t n) {
        const auto replaced = [&] { return !worker.stream || worker.number != number; };
        if (error == boost::asio::error::operation_aborted || replaced()) return;
        if (error) return hung_up(worker);
        const std::string line = worker.heard.substr(0, n - 1);
        worker.heard.erase(0, n);
        hear(worker, line);
        if (!replaced()) listen(worker);
      });
}

void Master::say(Worker& worker, const std::string& line) {
  if (worker.rank > 0) return options_.ranks->send(worker.rank, line);
  const std::string text = line + "\n";
  (void)!send(worker.process.socket, text.data(), text.size(),
              MSG_NOSIGNAL);  // one that is dead is told soon
}

void Master::hand_out() {
  const bool alone = std::ranges::any_of(
      workers_, [](const auto& worker) { return worker->point && worker->mode == Mode::alone; });
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->point || alone || !has_work()) continue;
    if (!worker->works) start(*worker);
    if (const std::optional<std::size_t> point = schedule_.next()) {
      give(*worker, *point, mode_);
    } else if (busy() == 0 && !large_.empty()) {
      const std::size_t large = large_.back();
      large_.pop_back();
      give(*worker, large, Mode::alone);
      break;
    }
  }
  if (busy() == 0 && !has_work()) io_.stop();
}

void Master::give(Worker& worker, std::size_t point, Mode mode) {
  worker.point = point;
  worker.mode = mode;
  worker.key.clear();
  worker.simulates = false;
  worker.since = Clock::now();
  const Bytes memory = mode == Mode::alone ? options_.memory : share();
  say(worker, fmt::format("run {} {} {}", point, static_cast<int>(mode), memory.count()));
}

void Master::hear(Worker& worker, std::string_view line) {
  if (line.starts_with("key ")) return decide(worker, std::string{line.substr(4)});
  if (line.starts_with("full ")) {
    tally_.full = line.substr(5);
    worker.point.reset();
    return hand_out();
  }
  done(worker, line);
}

// One of equal points runs.
void Master::decide(Worker& worker, const std::string& key) {
  const Record* known = cache_.of_key(key);
  const bool runs = (known == nullptr || !stands(*known, options_)) && keys_.insert(key).second;
  worker.key = key;
  worker.simulates = runs;
  say(worker, runs ? "go" : "skip");
}

// Its worker has written that another record has its result.
void Master::point_is_known(std::size_t point, const Worker& worker) {
  cache_.add({.request = job_.requests[point], .key = worker.key, .known = true});
  ++tally_.ran;
  stage_.ended();
}

void Master::forget_key(const Worker& worker) {
  if (worker.simulates) keys_.erase(worker.key);
}

void Master::done(Worker& worker, std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 7 || !worker.point) {  // no worker says that: it ends, and its point runs again
    if (worker.rank == 0) (void)kill(worker.process.pid, SIGKILL);
    return;
  }
  const auto number = [&](std::size_t i) { return std::strtod(std::string{words[i]}.c_str(), nullptr); };
  const std::size_t point = *std::exchange(worker.point, std::nullopt);
  deaths_ = 0;
  worker.unsynced = true;
  forget_key(worker);
  const bool is_short = words[5] == "1";
  if (mode_ == Mode::again) {
    compare(point, static_cast<int>(number(1)), std::string{words[6]});
  } else if (!worker.key.empty() && !worker.simulates) {
    point_is_known(point, worker);
  } else if (is_short && worker.mode == Mode::shared && workers_.size() > 1) {
    large_.push_back(point);
  } else {
    Record record{.request = job_.requests[point],
                  .key = worker.key.empty() ? job_.requests[point] : worker.key,
                  .end = is_short ? End::too_large : End::done,
                  .exit = static_cast<int>(number(1)),
                  .digest = std::string{words[6]},
                  .events = static_cast<std::uint64_t>(number(2)),
                  .seconds = number(3),
                  .limit = is_short ? static_cast<double>(options_.memory.count()) : 0.0};
    if (is_short && worker.mode == Mode::shared) {  // there is no more memory than it had
      record.message = fmt::format("needs more memory than {} (--memory)", about(options_.memory));
      keep(record);
    }
    finished(point, record, number(4));
  }
  if (worker.rank == 0 && memory_of(worker.process.pid) > share() / 4) replace(worker);
  hand_out();
}

void Master::finished(std::size_t point, const Record& record, double busy) {
  ++tally_.ran;
  tally_.failed += record.exit != 0 ? 1 : 0;
  tally_.busy += busy;
  tally_.simulating += record.seconds;
  stage_.ended();
  schedule_.learn(point, static_cast<double>(record.events), busy);
  cache_.add(record);
  if (tenth_ || tally_.ran * 10 < tally_.points) return;
  tenth_ = Clock::now();
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

void Master::end_process(Worker& worker) {
  if (worker.rank > 0) return options_.ranks->send(worker.rank, std::string{kKill});
  (void)kill(worker.process.pid, SIGKILL);
}

// A process that closed its socket has nothing left to do.
void Master::hung_up(Worker& worker) {
  int status = 0;
  (void)kill(worker.process.pid, SIGKILL);
  (void)waitpid(worker.process.pid, &status, 0);
  worker.stream.reset();
  (void)::close(worker.process.errors);
  worker.process = {};
  ended(worker, status);
}

void Master::ended(Worker& worker, int status) {
  constexpr int kMostDeaths = 1000;
  worker.works = false;
  if (++deaths_ > kMostDeaths)
    throw Error{ExitCode::internal,
                fmt::format("workers end as soon as they start: of the last, {}", end_of_process(status))};
  forget_key(worker);
  if (worker.point) lost(worker, status);
  worker.point.reset();
  hand_out();
}

// MPI has no descriptor to wait for.
void Master::hear_ranks() {
  constexpr std::chrono::microseconds kWait{500};
  if (options_.ranks == nullptr) return;
  while (const auto heard = options_.ranks->receive()) {
    const auto& [rank, line] = *heard;
    const auto worker = std::ranges::find(workers_, rank, [](const auto& each) { return each->rank; });
    if (worker == workers_.end()) continue;
    if (line.starts_with(kEnded))
      ended(**worker, std::atoi(line.substr(kEnded.size()).c_str()));
    else
      hear(**worker, line);
  }
  ranks_timer_.expires_after(kWait);
  ranks_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) hear_ranks();
  });
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
  finished(*worker.point, record, record.seconds);
}

void Master::keep(Record record) {
  if (options_.out.empty() || mode_ == Mode::again) return;
  try {
    own_.append(record);
  } catch (const UsageError& error) {
    tally_.full = error.what();
  }
}

double Master::seconds_left() const {
  const double left = schedule_.seconds_left();
  return left / static_cast<double>(std::max<std::size_t>(workers_.size(), 1));
}

void Master::tick() {
  ++ticks_;
  if (stop_signal() != 0) {
    tally_.interrupted = true;
    return io_.stop();
  }
  for (const std::unique_ptr<Worker>& worker : workers_) watch(*worker);
  if (ticks_ % kTicksOfASecond == 0) sync();
  progress_.show(tally_.ran, tally_.failed, tally_.ran == 0 ? -1.0 : seconds_left());
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Master::watch(Worker& worker) {
  if (!worker.point || worker.killed != Killed::no) return;
  const double spent = seconds_of(Clock::now() - worker.since);
  if (options_.timeout > 0.0 && spent > options_.timeout) {
    worker.killed = Killed::by_timeout;
  } else if (ticks_ % 3 == 0) {
    const Bytes most = worker.mode == Mode::alone ? options_.memory : share();
    if (worker.rank == 0 && memory_of(worker.process.pid) > most) worker.killed = Killed::by_memory;
  }
  if (worker.killed != Killed::no) end_process(worker);
}

void Master::sync() {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->unsynced && !worker->records.empty()) sync_file(worker->records);
    worker->unsynced = false;
  }
}

Tally run_points(const Plan& plan, const std::vector<std::string>& requests,
                 const std::vector<std::size_t>& which, Cache& cache, const RunPoint& run,
                 const PoolOptions& options) {
  std::vector<std::size_t> missing;
  for (const std::size_t point : which) {
    const Record* known = cache.of_request(requests[point]);
    if (known == nullptr || !stands(*known, options)) missing.push_back(point);
  }
  Tally tally{.points = which.size(), .known = which.size() - missing.size()};
  if (missing.empty()) return tally;
  const Job job{.plan = plan, .requests = requests, .run = run};
  Master master{job, cache, options, missing, Mode::shared};
  master.run();
  tally = master.tally();
  tally.points = which.size();
  tally.known = which.size() - missing.size();
  return tally;
}

std::optional<double> seconds_for(const Plan& plan, const std::vector<std::string>& requests,
                                  const std::vector<std::size_t>& which, const Cache& cache, unsigned jobs) {
  Schedule schedule{plan, which};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (const Record* known = cache.of_request(requests[i]))
      schedule.learn(i, static_cast<double>(known->events), known->seconds);
  }
  schedule.refit();
  const double seconds = schedule.seconds_left();
  if (seconds <= 0.0) return std::nullopt;
  return seconds / static_cast<double>(std::max(1U, jobs));
}

std::vector<Difference> verify_points(const Plan& plan, const std::vector<std::string>& requests,
                                      const std::vector<std::size_t>& which, Cache& cache,
                                      const RunPoint& run, PoolOptions options) {
  if (which.empty()) return {};
  const Job job{.plan = plan, .requests = requests, .run = run};
  Master master{job, cache, options, which, Mode::again};
  master.run();
  if (master.tally().interrupted) throw Interrupted{"interrupted: not all points are verified"};
  return master.differences();
}

}  // namespace kbsim::sweep
