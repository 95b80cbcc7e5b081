#include "kbsim/host/work.hpp"

#include <ranges>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/thrown.hpp"

namespace kbsim::host {
namespace {

std::string outcome(const WorkState& work) {
  if (!work.done.is_set()) return "it is still under way";
  if (!work.error) return "it has succeeded";
  try {
    std::rethrow_exception(work.error);
  } catch (...) {
    return "it has failed: " + thrown_text();
  }
}

}  // namespace

std::string WorkId::text() const {
  return fmt::format("{} #{} of rank {}{}", call, sequence, rank,
                     group == 0 ? "" : fmt::format(" in group {}", group));
}

void refuse_moved_work() {
  throw UsageError{
      "a Work that was moved from is awaited, or asked whether it is done; use what it was moved to"};
}

void Works::require_awaited() const {
  const auto dropped = std::ranges::find(works_, false, &WorkState::awaited);
  if (dropped == works_.end()) return;
  const WorkState& work = **dropped;
  throw KernelFault{fmt::format("{}: {} was never awaited; co_await its Work ({})",
                                to_string(to_place(work.at)), work.done.name(), outcome(work))};
}

void Works::note(WorkState& state, const WorkId& what) const {
  state.spans = fabric_.spans();
  state.spans->open(&state, {.kind = hw::SpanKind::call,
                             .rank = what.rank,
                             .what = what.call,
                             .at = state.at,
                             .start = sim_.now(),
                             .id = what.sequence});
}

void Works::cancel() {
  for (const auto& work : works_ | std::views::reverse) work->process.cancel();
  works_.clear();
}

}  // namespace kbsim::host
