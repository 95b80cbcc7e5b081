// Checks of a request for synthetic traffic.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::hw {
namespace {

constexpr std::array<std::string_view, 3> kArrivals{"poisson", "bernoulli", "saturated"};

void check_count(const char* what, std::int64_t count, std::int64_t least) {
  if (count < least || count > kMostPackets)
    throw UsageError{fmt::format("{} {}: expected from {} to {}", what, count, least, kMostPackets)};
}

void check_packet(const char* what, Bytes size) {
  constexpr Bytes kLargest = 1_GiB;
  if (size < 1_B || size > kLargest)
    throw UsageError{fmt::format("{} {}: expected from 1 to {} bytes", what, size.count(), kLargest.count())};
}

void check_sizes(const TrafficRequest& request) {
  check_packet("--bytes", request.packet);
  if (request.reply != 0_B) check_packet("--reply", request.reply);
  if (request.other == 0_B) return;
  check_packet("--bytes", request.other);
  if (request.other == request.packet)
    throw UsageError{fmt::format("--bytes {0},{0}: expected two sizes that differ", request.packet.count())};
  if (!(request.mix > 0.0 && request.mix < 1.0))
    throw UsageError{
        fmt::format("--mix {}: expected a share of the packets, above 0 and below 1", request.mix)};
}

}  // namespace

Arrivals arrivals_named(std::string_view name) {
  const auto* const found = std::ranges::find(kArrivals, name);
  if (found != kArrivals.end()) return static_cast<Arrivals>(found - kArrivals.begin());
  throw UsageError{fmt::format("--arrivals {}: no such process{}", name,
                               name_hint(name, {kArrivals.begin(), kArrivals.end()}))};
}

double TrafficRequest::mean_bytes() const {
  const auto first = static_cast<double>(packet.count());
  return other == 0_B ? first : mix * first + (1.0 - mix) * static_cast<double>(other.count());
}

void check_request(const TrafficRequest& request) {
  check_sizes(request);
  check_count("--packets", request.packets, 1);
  check_count("--warmup", request.warmup, 0);
  if (request.outstanding < 0 || request.outstanding > kMostOutstanding)
    throw UsageError{
        fmt::format("--outstanding {}: expected from 1 to {}", request.outstanding, kMostOutstanding)};
  if (request.window_only && request.outstanding > 0)
    throw UsageError{
        "--window-only: has no effect with --outstanding, a closed loop sends nothing after its window"};
  if (request.outstanding > 0 || request.arrivals == Arrivals::saturated) return;
  if (!(request.rate > 0.0 && request.rate <= kMostRate)) {
    throw UsageError{
        fmt::format("a rate of {} packets a service time and source: expected more than 0 and at most {:g}",
                    request.rate, kMostRate)};
  }
}

}  // namespace kbsim::hw
