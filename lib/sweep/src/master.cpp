// A sweep's event loop: which worker runs which point.
#include "master.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/sweep/worker_ranks.hpp"

#include "rank_lines.hpp"

namespace kbsim::sweep {

Master::Master(const Job& job, Cache& cache, const PoolOptions& options, std::vector<std::size_t> points,
               Mode mode)
    : job_{job},
      cache_{cache},
      options_{options},
      mode_{mode},
      schedule_{job.plan, points},
      looked_{!options.lacks},
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
  for (std::size_t i = 0; i < jobs; ++i) workers_.push_back(std::make_unique<Worker>(io_));
  for (int rank = 1; options_.ranks != nullptr && rank < options_.ranks->size(); ++rank) {
    workers_.push_back(std::make_unique<Worker>(io_));
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
  return tally_.stopped.empty() && !tally_.interrupted && (schedule_.pending() > 0 || !large_.empty());
}

void Master::hand_out() {
  const bool alone = std::ranges::any_of(
      workers_, [](const auto& worker) { return worker->point && worker->mode == Mode::alone; });
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (alone || !has_work()) continue;
    if (worker->point) {
      give_ahead(*worker);
      continue;
    }
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
  const Bytes memory = mode == Mode::alone ? options_.memory : share();
  say(worker, fmt::format("{}{} {} {}", kRun, point, static_cast<int>(mode), memory.count()));
  begins(worker, point, mode);
}

void Master::begins(Worker& worker, std::size_t point, Mode mode) {
  worker.point = point;
  worker.mode = mode;
  worker.key.clear();
  worker.simulates = false;
  worker.hangs.clear();
  worker.since = Clock::now();
  expect_end(worker);
}

// While points are short, a worker gets its next one ahead. Near the end each point goes to a free worker.
void Master::give_ahead(Worker& worker) {
  constexpr double kShort = 0.05;  // seconds
  constexpr std::size_t kEnough = 4;
  const bool enough = schedule_.pending() >= kEnough * workers_.size();
  if (worker.rank > 0 || worker.ahead || worker.took > kShort || !enough) return;
  worker.ahead = schedule_.next();
  say(worker, fmt::format("{}{} {} {}", kRun, *worker.ahead, static_cast<int>(mode_), share().count()));
}

void Master::reclaim(Worker& worker) {
  if (worker.ahead) schedule_.put_back(*worker.ahead);
  worker.ahead.reset();
}

void Master::hear(Worker& worker, std::string_view line) {
  if (line.starts_with(kKey)) return decide(worker, std::string{line.substr(kKey.size())});
  if (line.starts_with(kOwn)) return owned(worker, std::string{line.substr(kOwn.size())});
  if (line.starts_with(kLacks)) {
    worker.lacks = line.substr(kLacks.size());
    return;
  }
  if (line.starts_with(kHangs)) {
    worker.hangs = line.substr(kHangs.size());
    return kbsim::say("kbsim: {}: {}\n", job_.requests[*worker.point], worker.hangs);
  }
  if (!line.starts_with(kStopFor)) return done(worker, line);
  stop_for(std::string{line.substr(kStopFor.size())});
  worker.point.reset();
  if (worker.ahead) begins(worker, *std::exchange(worker.ahead, std::nullopt), mode_);
  hand_out();
}

// Running points end; no other begins.
void Master::stop_for(const std::string& why) { tally_.stopped = why; }

void Master::owned(Worker& worker, const std::string& key) {
  worker.key = key;
  worker.simulates = true;
  keys_.insert(key);
}

// Only one of equal points runs.
void Master::decide(Worker& worker, const std::string& key) {
  if (job_.claims != nullptr) (void)job_.claims->claim(key);  // from another host
  const Record* known = cache_.of_key(key);
  const bool runs = (known == nullptr || !stands(*known, options_)) && keys_.insert(key).second;
  worker.key = key;
  worker.simulates = runs;
  say(worker, runs ? "go" : "skip");
}

}  // namespace kbsim::sweep
