#include "plan_queues.hpp"

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

namespace kbsim::host {
namespace {

const ccl::Neighbour& neighbour(const ccl::Wiring& wiring, PeCoord pe, Dir queue) {
  const auto& all = wiring.at(pe);
  const auto found =
      std::ranges::find_if(all, [&](const ccl::Neighbour& one) { return Dir{one.direction} == queue; });
  if (found == all.end())
    throw UsageError{fmt::format("the kernel uses queue '{}' on {}; its topology gives {}", queue.name(),
                                 to_string(pe),
                                 fmt::join(std::views::transform(all, &ccl::Neighbour::direction), ", "))};
  return *found;
}

// Index of a queue among the queues from one rank to another, in the order of PEs.
int channel_of(const ccl::Wiring& wiring, PeCoord from, const ccl::Neighbour& queue) {
  int channel = 0;
  for (const auto& [pe, neighbours] : wiring) {
    if (pe.sip != from.sip || pe > from) continue;
    for (const ccl::Neighbour& one : neighbours) {
      if (pe == from && one.direction == queue.direction) break;
      if (one.peer.sip == queue.peer.sip) ++channel;
    }
  }
  return channel;
}

/// The rank at the other end of a queue, and the queue's channel between the two ranks.
struct Connected {
  int rank = -1;
  int channel = 0;
};

Connected sends_to(const ccl::Wiring& wiring, PeCoord pe, Dir queue) {
  if (queue == Dir::any) return {};
  const ccl::Neighbour& to = neighbour(wiring, pe, queue);
  return {.rank = to.peer.sip, .channel = channel_of(wiring, pe, to)};
}

Connected receives_from(const ccl::Wiring& wiring, PeCoord pe, Dir queue) {
  if (queue == Dir::any) return {};
  const ccl::Neighbour& from = neighbour(wiring, pe, queue);
  const std::string theirs = ccl::reverse_direction(wiring, pe, from);
  return {
      .rank = from.peer.sip,
      .channel = channel_of(wiring, from.peer, neighbour(wiring, from.peer, Dir{std::string_view{theirs}}))};
}

}  // namespace

bool fits_a_block(const RecordedKernel& kernel, const ccl::Wiring& wiring, int rank) {
  const auto pes = std::ranges::count(std::views::keys(wiring), rank, &PeCoord::sip);
  if (pes > 1 || kernel.sends.size() > 1 || kernel.receives.size() > 1) return false;
  if (kernel.sends.empty() || kernel.receives.empty()) return true;
  const PeCoord pe{.sip = rank};
  return sends_to(wiring, pe, kernel.sends.begin()->label).channel ==
         receives_from(wiring, pe, kernel.receives.begin()->label).channel;
}

PlanBlock block_of(const ccl::Wiring& wiring, int rank, int id, SpreadBlock made) {
  const PeCoord pe{.sip = rank, .pe = made.pe};
  const Connected to = sends_to(wiring, pe, made.send);
  const Connected from = receives_from(wiring, pe, made.recv);
  return {.id = id,
          .send = to.rank,
          .recv = from.rank,
          .channel = to.rank >= 0 ? to.channel : from.channel,
          .steps = std::move(made.steps)};
}

}  // namespace kbsim::host
