#include "outcomes.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"

#include "host_name.hpp"

namespace kbsim::sweep {
namespace {

std::string key_of(const PoolWorker& worker, const std::string& request) {
  return worker.key.empty() ? request : worker.key;
}

}  // namespace

Outcomes::Outcomes(const Job& job, Cache& cache, std::size_t points)
    : job_{job},
      cache_{cache},
      looked_{!job.options.lacks},
      own_{job.options.out.empty() ? ""
                                   : new_record_file(job.options.out).replace_extension(".master.records")},
      stage_{"points", points} {
  tally_.points = points;
}

void Outcomes::is_known(std::size_t point, const std::string& key) {
  cache_.add({.request = job_.requests[point], .key = key, .known = true});
  ++tally_.ran;
  stage_.ended();
}

Record Outcomes::simulated(std::size_t point, const PoolWorker& worker, const PointReply& reply) {
  const std::string& request = job_.requests[point];
  Record record{.request = request,
                .key = key_of(worker, request),
                .end = reply.is_short ? End::too_large : End::done,
                .exit = reply.exit,
                .digest = reply.digest,
                .events = reply.events,
                .seconds = reply.simulating,
                .limit = reply.is_short ? static_cast<double>(job_.options.memory.count()) : 0.0};
  if (reply.is_short && worker.mode == Mode::shared) {  // there is no more memory than it had
    record.message = fmt::format("needs more memory than {} (--memory)", about(job_.options.memory));
    keep(record);
  }
  if (record.exit == 0) look_at_first(worker);
  ended(record, reply.busy);
  return record;
}

void Outcomes::look_at_first(const PoolWorker& worker) {
  if (looked_) return;
  looked_ = true;
  if (!worker.lacks.empty()) stop_for(worker.lacks);
}

Record Outcomes::lost(std::size_t point, const PoolWorker& worker, const Loss& loss) {
  const std::string& request = job_.requests[point];
  const Record record{.request = request,
                      .key = key_of(worker, request),
                      .end = loss.end,
                      .exit = loss.exit,
                      .message = loss.message,
                      .seconds = seconds_of(Clock::now() - worker.since),
                      .limit = loss.limit,
                      .host = host_name()};
  keep(record);
  ended(record, record.seconds);
  return record;
}

void Outcomes::ended(const Record& record, double busy) {
  ++tally_.ran;
  tally_.failed += record.exit != 0 ? 1 : 0;
  tally_.busy += busy;
  tally_.simulating += record.seconds;
  stage_.ended();
  cache_.add(record);
}

void Outcomes::compare(std::size_t point, int exit, const std::string& digest) {
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

void Outcomes::keep(const Record& record) {
  if (job_.options.out.empty()) return;
  try {
    own_.append(record);
  } catch (const UsageError& error) {
    stop_for(error.what());
  }
}

void Outcomes::guess(double seconds_left) {
  tenth_ = Clock::now();
  tally_.tenth_guess = seconds_left;
}

void Outcomes::finish() {
  tally_.wall = seconds_of(Clock::now() - start_);
  if (tenth_) tally_.tenth_left = seconds_of(Clock::now() - *tenth_);
}

}  // namespace kbsim::sweep
