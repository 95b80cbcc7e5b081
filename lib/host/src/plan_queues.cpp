#include "plan_queues.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim::host {
namespace {

PeCoord first_pe(int rank) { return {rank, 0, 0}; }

const ccl::Neighbour& neighbour(const ccl::Wiring& wiring, int rank, Dir queue) {
  const auto& all = wiring.at(first_pe(rank));
  const auto found =
      std::ranges::find_if(all, [&](const ccl::Neighbour& one) { return Dir{one.direction} == queue; });
  ensure(found != all.end(), "a kernel uses a queue that its topology doesn't have");
  return *found;
}

// Of several queues from one rank to another, which it is.
int channel_of(const ccl::Wiring& wiring, int from, std::string_view direction) {
  const auto& all = wiring.at(first_pe(from));
  const auto found = std::ranges::find(all, direction, &ccl::Neighbour::direction);
  ensure(found != all.end(), "a queue leads back by a label that its topology doesn't have");
  return static_cast<int>(
      std::count_if(all.begin(), found, [&](const ccl::Neighbour& one) { return one.peer == found->peer; }));
}

/// The other end of a queue, and its channel among those of the two ranks.
struct Connected {
  int rank = -1;
  int channel = 0;
};

Connected sends_to(const ccl::Wiring& wiring, int rank, Dir queue) {
  if (queue == Dir::any) return {};
  const ccl::Neighbour& to = neighbour(wiring, rank, queue);
  return {.rank = to.peer.sip, .channel = channel_of(wiring, rank, to.direction)};
}

Connected receives_from(const ccl::Wiring& wiring, int rank, Dir queue) {
  if (queue == Dir::any) return {};
  const ccl::Neighbour& from = neighbour(wiring, rank, queue);
  const std::string theirs = ccl::reverse_direction(wiring, first_pe(rank), from);
  return {.rank = from.peer.sip, .channel = channel_of(wiring, from.peer.sip, theirs)};
}

}  // namespace

bool fits_a_block(const RecordedKernel& kernel, const ccl::Wiring& wiring, int rank) {
  if (kernel.sends.size() > 1 || kernel.receives.size() > 1) return false;
  if (kernel.sends.empty() || kernel.receives.empty()) return true;
  return sends_to(wiring, rank, *kernel.sends.begin()).channel ==
         receives_from(wiring, rank, *kernel.receives.begin()).channel;
}

PlanBlock block_of(const ccl::Wiring& wiring, int rank, int id, SpreadBlock made) {
  const Connected to = sends_to(wiring, rank, made.send);
  const Connected from = receives_from(wiring, rank, made.recv);
  return {.id = id,
          .send = to.rank,
          .recv = from.rank,
          .channel = to.rank >= 0 ? to.channel : from.channel,
          .steps = std::move(made.steps)};
}

}  // namespace kbsim::host
