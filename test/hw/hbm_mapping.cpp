#include "kbsim/hw/memory/hbm_mapping.hpp"

#include <doctest/doctest.h>

#include "hbm_support.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::hbm_mapping_test {

using kbsim::hw::test::Random;

TEST_CASE("HBM mapping: fields stand where the text has them, the lowest last") {
  HbmSpec spec;
  spec.mapping = "rosibabgpcco";
  const HbmMapping mapping{spec};
  CHECK(mapping.place(1024 - 32) == HbmPlace{});
  CHECK(mapping.place(1024) == HbmPlace{.channel = 1});
  CHECK(mapping.place(8 * 1024) == HbmPlace{.group = 1});
  CHECK(mapping.place(4 * 8 * 1024) == HbmPlace{.bank = 1});
  CHECK(mapping.place(4 * 4 * 8 * 1024) == HbmPlace{.row = 1});
}

TEST_CASE("HBM mapping: address() is the inverse of place(), whatever the order of fields") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    HbmSpec spec{.pseudo_channels = 4, .stack_ids = 3, .bank_groups = 2};
    spec.mapping = random.any_of(
        {std::string{"robasicobgpc"}, std::string{"rosibabgpcco"}, std::string{"ropcbgcosiba"}});
    const HbmMapping mapping{spec};
    const HbmPlace any{.channel = random.below(4),
                       .sid = random.below(3),
                       .group = random.below(2),
                       .bank = random.below(4),
                       .row = random.below(1000)};
    CHECK(mapping.place(mapping.address(any, random.below(32)) + random.below(32)) == any);
  }
}

TEST_CASE("HBM mapping: a text that leaves out a field, names one twice or has rows below others is none") {
  CHECK(HbmMapping::names_all_fields("robasicobgpc"));
  for (const char* text :
       {"", "robasicobg", "robasicobgbg", "basicobgpcro", "robasicobgpcpc", "robasicobgxx"})
    CHECK_FALSE(HbmMapping::names_all_fields(text));
}

TEST_CASE("HBM slice: in any mapping a stream is served once and no faster than the bus") {
  for (const char* mapping : {"robasicobgpc", "rosibabgpcco", "ropcbgcosiba"}) {
    CAPTURE(mapping);
    HbmSpec spec;
    spec.mapping = mapping;
    HbmTiming slice{spec, kRaw};
    const Bytes n = 64_KiB;
    const Time bound = slice.first_byte(0, n, false, Time{0});
    const auto slot = slice.serve(0, n, false, Time{0});
    CHECK(slot.start >= bound);
    CHECK(slot.end - slot.start >= kRaw.serialization(n));
    const HbmCounts counts = slice.counts();
    CHECK(counts.hits + counts.misses + counts.conflicts == n / spec.burst);
  }
}

}  // namespace kbsim::hw::test::hbm_mapping_test
