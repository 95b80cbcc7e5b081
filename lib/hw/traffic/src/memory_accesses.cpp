#include "memory_accesses.hpp"

#include <algorithm>

namespace kbsim::hw {
namespace {

std::int64_t banks_of(const HbmSpec& spec) {
  return spec.pseudo_channels * spec.bank_groups * spec.stack_ids * spec.banks_per_group;
}

}  // namespace

MemoryAccesses::MemoryAccesses(const MemoryTrafficRequest& request, Bytes slice, const HbmSpec& spec)
    : request_{request},
      spec_{spec},
      mapping_{spec},
      places_{slice / request.access},
      rows_{std::max<std::int64_t>(1, slice / spec.row / banks_of(spec))},
      random_{request.seed} {}

MemoryAccesses::Access MemoryAccesses::next() {
  const bool write = random_.uniform() >= request_.read_share;
  const std::int64_t i = count_++;
  switch (request_.pattern) {
    case MemoryPattern::stream: return {write, streamed(write)};
    case MemoryPattern::random: break;
    case MemoryPattern::one_bank: return {write, in_row(0, i)};
    case MemoryPattern::banks: return {write, in_row(i % banks_of(spec_), i / banks_of(spec_))};
  }
  const auto place = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(places_)));
  return {write, place * request_.access.count()};
}

Bytes MemoryAccesses::least_slice(const MemoryTrafficRequest& request, const HbmBanksSpec& spec,
                                  bool reorders) {
  const std::int64_t banks = banks_of(spec);
  const std::int64_t queued = reorders ? spec.read_queue + spec.write_queue : 1;
  const auto of_rows = [&](std::int64_t rows) { return std::max(request.access, rows * banks * spec.row); };
  switch (request.pattern) {
    case MemoryPattern::stream: return 2 * request.access;
    case MemoryPattern::random: return request.access;
    case MemoryPattern::one_bank: return of_rows(queued + 1);
    case MemoryPattern::banks: break;
  }
  return of_rows(queued * spec.pseudo_channels / (banks * spec.channel_pcs) + 2);
}

std::int64_t MemoryAccesses::streamed(bool write) {
  const std::int64_t half = std::max<std::int64_t>(1, places_ / 2);
  const std::int64_t place = write ? places_ - half + written_++ % half : read_++ % half;
  return place * request_.access.count();
}

// Banks in turn: pseudo-channels first, then groups, stack IDs and their banks.
std::int64_t MemoryAccesses::in_row(std::int64_t bank, std::int64_t row) const {
  const auto take = [&bank](std::int64_t count) {
    const std::int64_t index = bank % count;
    bank /= count;
    return index;
  };
  HbmPlace place{.row = row % rows_};
  place.channel = take(spec_.pseudo_channels);
  place.group = take(spec_.bank_groups);
  place.sid = take(spec_.stack_ids);
  place.bank = bank;
  return mapping_.address(place, 0);
}

}  // namespace kbsim::hw
