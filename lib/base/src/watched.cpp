#include "kbsim/base/watched.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim {
namespace {

static_assert(WatchedProgram::LastCommand::is_always_lock_free);

struct Watched {
  std::mutex mutex;
  std::list<const WatchedProgram*> programs;  // newest first
  std::list<const WatchedRun*> runs;
  std::uint64_t begun = 0;
};

Watched& watched() {
  static Watched all;
  return all;
}

bool is_known(const std::source_location& at) { return !std::string_view{at.file_name()}.empty(); }

}  // namespace

WatchedProgram::WatchedProgram(std::string name, const void* process, const std::source_location& launched,
                               const LastCommand* last)
    : name_{std::move(name)}, process_{process}, launched_{launched}, last_{last} {
  const std::scoped_lock lock{watched().mutex};
  place_ = watched().programs.insert(watched().programs.begin(), this);
}

WatchedProgram::~WatchedProgram() {
  const std::scoped_lock lock{watched().mutex};
  watched().programs.erase(place_);
}

WatchedRun::WatchedRun(const Reader& reader, bool inside) : reader_{reader}, inside_{inside} {
  const std::scoped_lock lock{watched().mutex};
  number_ = ++watched().begun;
  place_ = watched().runs.insert(watched().runs.begin(), this);
}

WatchedRun::~WatchedRun() {
  const std::scoped_lock lock{watched().mutex};
  watched().runs.erase(place_);
}

std::vector<WatchedState> WatchedState::all() {
  const std::scoped_lock lock{watched().mutex};
  std::vector<WatchedState> states;
  for (const WatchedRun* const run : watched().runs) {
    WatchedState state{.run = run->number_,
                       .events = run->reader_.events(run->reader_.of),
                       .inside = run->inside_.load(std::memory_order_relaxed)};
    const void* const process = run->reader_.running(run->reader_.of);
    const auto program = std::ranges::find(watched().programs, process,
                                           [](const WatchedProgram* one) { return one->process_; });
    if (process != nullptr && program != watched().programs.end()) {
      const WatchedProgram::LastCommand* const commands = (*program)->last_;
      const std::source_location last =
          commands != nullptr ? commands->load(std::memory_order_relaxed) : std::source_location{};
      state.program = (*program)->name_;
      if (is_known(last))
        state.since = " since " + to_string(to_place(last));
      else if (is_known((*program)->launched_))
        state.since = " since its launch at " + to_string(to_place((*program)->launched_));
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace kbsim
