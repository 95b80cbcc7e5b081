// --parallel-bound: the most that threads could give a run.
#include "kbsim/evaluate/parallel_bound_study.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::evaluate {
namespace {

using hw::Cut;
using hw::WindowLoads;
using Bound = hw::ParallelBound::Bound;

constexpr Time kLeastLookahead = 1_ns;
constexpr double kBarrier = 1000.0;  // ns a window: threads wait for one another, and pass on what crosses
constexpr double kWorthwhile = 1.3;  // times as fast
constexpr std::array<const char*, 2> kCuts{"package", "cube"};

// A queue's two ends also communicate outside the links.
bool is_joined(const host::Session& session) {
  return session.algorithm().credit == config::CreditPath::direct;
}

std::vector<hw::Partition> partitions_of(host::Session& session) {
  if (is_joined(session)) return {hw::undivided(session.machine()), hw::undivided(session.machine())};
  return {hw::partition(session.machine(), Cut::package, kLeastLookahead),
          hw::partition(session.machine(), Cut::cube, kLeastLookahead)};
}

std::string row(const char* name, const WindowLoads& loads) {
  std::string text = fmt::format("  {:<10}", name);
  for (std::size_t i = 0; i < WindowLoads::kThreads.size(); ++i)
    text += fmt::format(" {:>7.2f}", loads.times_as_fast(i));
  return text + "\n";
}

std::string lookahead_of(const hw::Partition& partition) {
  if (partition.from.empty()) return "nothing crosses";
  return fmt::format("lookahead {} ({})", kbsim::to_string(partition.lookahead), partition.from);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string table(const char* cut, const Bound& bound) {
  const std::uint64_t windows = bound.events.windows();
  std::string text =
      fmt::format("by {}: {}, {}\n", cut, counted(bound.partition.processes, "process", "processes"),
                  lookahead_of(bound.partition));
  text += fmt::format(
      "  {} of {:.1f} events; the host's process has {:.1f} % of them and {:.1f} % of the time\n",
      counted(windows, "window"),
      static_cast<double>(bound.events.total()) / static_cast<double>(std::max<std::uint64_t>(windows, 1)),
      percent(bound.host_events, bound.events.total()), percent(bound.host_work, bound.work.total()));
  text += fmt::format("  {:<10}", "threads");
  for (const int threads : WindowLoads::kThreads) text += fmt::format(" {:>7}", threads);
  return text + "\n" + row("by events", bound.events) + row("by time", bound.work);
}

/// The best of all partitions and numbers of threads, if each window took a barrier besides.
struct Best {
  const char* cut = "";
  int threads = 1;
  double times = 1.0;
};

Best best_of(const std::vector<Bound>& bounds) {
  Best best;
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    const WindowLoads& work = bounds[c].work;
    const double barriers = kBarrier * static_cast<double>(work.windows());
    for (std::size_t i = 1; i < WindowLoads::kThreads.size(); ++i) {
      const double times =
          static_cast<double>(work.total()) / (static_cast<double>(work.longest(i)) + barriers);
      if (times > best.times) best = {kCuts[c], WindowLoads::kThreads[i], times};
    }
  }
  return best;
}

std::string verdict(const std::vector<Bound>& bounds) {
  const Best best = best_of(bounds);
  if (best.threads == 1)
    return "Threads wouldn't pay here: with 1 us a window to meet, one is the fastest.\n";
  return fmt::format(
      "Threads {} here: with 1 us a window to meet, {} threads by {} are at most {:.2f} times as fast.\n",
      best.times >= kWorthwhile ? "would pay" : "would hardly pay", best.threads, best.cut, best.times);
}

}  // namespace

std::unique_ptr<hw::ParallelBound> watch_parallel_bound(host::Session& session) {
  auto bound = std::make_unique<hw::ParallelBound>(partitions_of(session));
  session.sim().watch(bound.get());
  return bound;
}

std::string to_text(hw::ParallelBound& bound, std::uint64_t events) {
  const std::vector<Bound>& bounds = bound.close();
  std::string text =
      fmt::format("parallel bound of {}, times as fast as one thread at most\n", counted(events, "event"));
  for (const auto& [cut, of_cut] : ranges::views::zip(kCuts, bounds)) text += table(cut, of_cut);
  return text + verdict(bounds);
}

}  // namespace kbsim::evaluate
