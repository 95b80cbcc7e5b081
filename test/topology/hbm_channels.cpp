#include "kbsim/topology/hbm_channels.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::topology;

namespace {

config::FloorPlanSpec plan_of(int channels, Bytes channel, Bytes interleave) {
  config::FloorPlanSpec plan;
  plan.hbm.channels.resize(static_cast<std::size_t>(channels));
  plan.hbm.channel = channel;
  plan.hbm.interleave = interleave;
  return plan;
}

}  // namespace

TEST_CASE("HbmChannels: blocks go round the channels") {
  const HbmChannels channels{plan_of(3, 4_KiB, 1_KiB)};
  CHECK(channels.size() == 12_KiB);
  CHECK(channels.at(0) == HbmChannels::Place{.channel = 0, .address = 0, .together = 1024});
  CHECK(channels.at(1023) == HbmChannels::Place{.channel = 0, .address = 1023, .together = 1});
  CHECK(channels.at(1024) == HbmChannels::Place{.channel = 1, .address = 0, .together = 1024});
  CHECK(channels.at(3 * 1024 + 5) == HbmChannels::Place{.channel = 0, .address = 1029, .together = 1019});
}

TEST_CASE("HbmChannels: without interleaving, and alone, a channel is one stretch") {
  const HbmChannels one_by_one{plan_of(3, 4_KiB, 0_B)};
  CHECK(one_by_one.at(0) == HbmChannels::Place{.channel = 0, .address = 0, .together = 4096});
  CHECK(one_by_one.at(5000) == HbmChannels::Place{.channel = 1, .address = 904, .together = 3192});
  CHECK(HbmChannels{plan_of(1, 4_KiB, 64_B)}.at(100).together == 3996);
}

TEST_CASE("HbmChannels: every offset has a place of its own, and the place gives the offset") {
  for (const int count : {1, 2, 3, 5, 12}) {
    for (const Bytes block : {0_B, 1_B, 32_B, 96_B, 960_B}) {
      const HbmChannels channels{plan_of(count, 960_B, block)};
      std::set<std::pair<int, std::int64_t>> places;
      for (std::int64_t offset = 0; offset < channels.size().count(); ++offset) {
        const HbmChannels::Place at = channels.at(offset);
        CHECK(at.channel < count);
        CHECK(at.address < 960);
        CHECK(channels.offset(at.channel, at.address) == offset);
        CHECK(places.emplace(at.channel, at.address).second);
        const HbmChannels::Place last = channels.at(offset + at.together - 1);
        CHECK(last.channel == at.channel);
        CHECK(last.address == at.address + at.together - 1);
      }
    }
  }
}
