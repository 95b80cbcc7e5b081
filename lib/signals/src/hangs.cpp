#include "kbsim/signals/hangs.hpp"

#include <fmt/format.h>

#include "kbsim/base/standing.hpp"
#include "kbsim/base/watched.hpp"

namespace kbsim {

std::string Hangs::Hang::text() const {
  if (program.empty())
    return fmt::format("an event of the simulation hasn't ended for {:.3g} s of wall time", lasts.count());
  return fmt::format("{} hasn't returned for {:.3g} s of wall time{}", program, lasts.count(), since);
}

std::optional<Hangs::Hang> Hangs::look(Seconds passed) {
  const Standing now = standing();
  const bool computes = !now.doing.empty() && !now.by_user;
  const std::uint64_t done = now.doing.empty() ? 0 : now.done;
  std::map<std::uint64_t, Seen> seen;
  std::optional<Hang> longest;
  for (WatchedState& state : WatchedState::all()) {
    Seen& run = seen[state.run] = {.events = state.events, .done = done};
    const auto then = seen_.find(state.run);
    const bool stands = state.inside && !computes && then != seen_.end() &&
                        then->second.events == state.events && then->second.done == done;
    if (!stands) continue;
    run.lasts = then->second.lasts + passed;
    if (longest && longest->lasts >= run.lasts) continue;
    longest = {.run = state.run, .lasts = run.lasts, .program = state.program, .since = state.since};
  }
  seen_ = std::move(seen);
  return longest;
}

}  // namespace kbsim
