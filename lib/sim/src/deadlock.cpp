#include "kbsim/sim/deadlock.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_set>

#include "kbsim/sim/detail/process_record.hpp"
#include "kbsim/sim/simulation.hpp"

#include "waiting_text.hpp"

namespace kbsim {

namespace {

constexpr std::size_t kListed = 50;

std::string count(std::size_t n) {
  return std::to_string(n) + (n == 1 ? " process waits" : " processes wait");
}

/// Events that still have their turn at the present time, in the simulations of these processes.
std::unordered_set<const detail::Link*> present_of(std::span<const detail::List* const> processes) {
  std::unordered_set<const detail::Link*> present;
  for (const detail::List* list : processes) {
    if (list->empty()) continue;
    const auto& any = static_cast<const detail::ProcessRecord&>(list->front());
    any.simulation->scheduler().for_each_present(
        [&present](const detail::Link& event) { present.insert(&event); });
  }
  return present;
}

Waiting describe(const detail::ProcessRecord& process,
                 const std::unordered_set<const detail::Link*>& present) {
  Waiting found{.process = process.name, .what = "its start", .since = {}, .at = {}, .who = process.id};
  const detail::PromiseBase* promise = &process.task.coroutine().promise();
  while (promise != nullptr && promise->wait.kind != nullptr) {
    const detail::PromiseBase& waiter = *promise;
    const auto& [kind, of, at, since] = waiter.wait;
    found.at.insert(found.at.begin(), to_place(at));
    promise = kind->inner != nullptr ? kind->inner(of) : nullptr;
    if (promise != nullptr) continue;
    found.since = since;
    if (kind->in_list && present.contains(&waiter)) {
      found.what = std::string{kind->text} + " (its turn has come)";
      break;
    }
    found.what = kind->what(*kind, of, waiter);
    if (kind->awaits != nullptr) found.awaits = kind->awaits(of, waiter);
  }
  return found;
}

}  // namespace

std::string to_string(const Waiting& waiting) {
  std::string text = waiting.process + " waits for " + waiting.what + " since " + to_string(waiting.since);
  const char* join = " at ";
  for (const Place& place : waiting.at) text += join + to_string(place), join = ", called at ";
  return text;
}

std::string detail::lines(const std::vector<Waiting>& waiting) {
  std::string text;
  for (const Waiting& one : std::span{waiting}.first(std::min(waiting.size(), kListed))) {
    text += "\n  " + to_string(one);
  }
  if (waiting.size() > kListed) text += "\n  and " + std::to_string(waiting.size() - kListed) + " more";
  return text;
}

std::string detail::headline(Time at, const std::vector<Waiting>& waiting) {
  return "deadlock at " + to_string(at) + ": nothing is left to happen, and " + count(waiting.size());
}

DeadlockError::DeadlockError(Time at, std::vector<Waiting> waiting)
    : Error{ExitCode::deadlock, detail::headline(at, waiting) + detail::lines(waiting)},
      at_{at},
      waiting_{std::move(waiting)} {}

LimitError::LimitError(const std::string& text, std::vector<Waiting> waiting, const std::string& busiest)
    : Error{ExitCode::limit, text + "; " + count(waiting.size()) + detail::lines(waiting) + busiest},
      waiting_{std::move(waiting)} {}

std::vector<Waiting> detail::waiting_among(const List& processes) {
  const List* const one = &processes;
  return waiting_among(std::span{&one, 1});
}

// Sorted by name: processes that started at one time stand in a list in any order.
std::vector<Waiting> detail::waiting_among(std::span<const List* const> processes) {
  std::vector<Waiting> spawned;
  std::vector<Waiting> components;
  const std::unordered_set<const Link*> present = present_of(processes);
  const auto add = [&](const Link& link) {
    const auto& process = static_cast<const ProcessRecord&>(link);
    (process.service ? components : spawned).push_back(describe(process, present));
  };
  for (const List* list : processes) list->for_each(add);
  std::vector<Waiting>& found = spawned.empty() ? components : spawned;
  std::ranges::sort(found, {}, [](const Waiting& one) { return std::tie(one.process, one.what, one.since); });
  return found;
}

}  // namespace kbsim
