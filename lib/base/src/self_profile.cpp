#include "kbsim/base/self_profile.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <system_error>
#include <tuple>

#include <unistd.h>

namespace kbsim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKinds = 128;
constexpr long kIntervalNs = 250'000;

// Names by number; 0 is work of unknown kind.
std::vector<std::string>& names() {
  static std::vector<std::string> all{"start-up and the rest"};
  return all;
}

std::array<std::atomic<std::uint64_t>, kKinds> samples;
std::atomic<std::uint8_t> phase_now = 0;
std::atomic<bool> paused = false;
Clock::time_point begun;

std::uint8_t doing() {
  if (const std::uint8_t scope = self_profile::scope.load(std::memory_order_relaxed); scope != 0)
    return scope;
  const self_profile::Reader reader = self_profile::reader;
  return reader.read != nullptr ? reader.read(reader.of) : phase_now.load(std::memory_order_relaxed);
}

void sample(int) {
  const int errno_before = errno;
  if (!paused.load(std::memory_order_relaxed)) samples[doing()].fetch_add(1, std::memory_order_relaxed);
  errno = errno_before;
}

// Seconds of one signal and its handler.
double seconds_each() {
  constexpr int kSignals = 1000;
  paused = true;
  const auto start = Clock::now();
  for (int i = 0; i < kSignals; ++i) (void)std::raise(SIGPROF);
  const std::chrono::duration<double> taken = Clock::now() - start;
  paused = false;
  return taken.count() / kSignals;
}

[[noreturn]] void fail(const char* what) { throw std::system_error{errno, std::generic_category(), what}; }

}  // namespace

WorkKind::WorkKind(std::string_view name) {
  std::vector<std::string>& all = names();
  const auto found = std::ranges::find(all, name);
  const auto number = static_cast<std::size_t>(found - all.begin());
  if (found == all.end()) {
    if (all.size() < kKinds) all.emplace_back(all.size() + 1 < kKinds ? name : "others");
  }
  number_ = static_cast<std::uint8_t>(std::min(number, kKinds - 1));
}

namespace self_profile {

// Not a timer of Asio: its handler would run elsewhere, and not interrupt this thread.
void start() {
  if (is_on()) return;
  struct sigaction action{};
  action.sa_handler = sample;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGPROF, &action, nullptr) != 0) fail("sigaction");
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) fail("timer_create");
  const itimerspec every{.it_interval = {0, kIntervalNs}, .it_value = {0, kIntervalNs}};
  if (timer_settime(timer, 0, &every, nullptr) != 0) fail("timer_settime");
  begun = Clock::now();
  on = true;
}

void phase(WorkKind work) { phase_now = work.number(); }

Shares shares() {
  const std::chrono::duration<double> taken = Clock::now() - begun;
  Shares all{.seconds = taken.count(), .interval = kIntervalNs / 1e9};
  std::array<std::uint64_t, kKinds> counts{};
  std::ranges::transform(samples, counts.begin(), [](const auto& count) { return count.load(); });
  for (const std::uint64_t count : counts) all.samples += count;
  if (all.samples == 0) return all;
  const auto n = static_cast<double>(all.samples);
  all.cost = seconds_each() * n / all.seconds;
  for (std::size_t kind = 0; kind < names().size(); ++kind) {
    if (counts[kind] == 0) continue;
    const double share = static_cast<double>(counts[kind]) / n;
    all.rows.push_back(
        {.work = names()[kind], .share = share, .error = std::sqrt(share * (1.0 - share) / n)});
  }
  std::ranges::sort(all.rows, {}, [](const Row& row) { return std::tuple{-row.share, row.work}; });
  return all;
}

}  // namespace self_profile
}  // namespace kbsim
