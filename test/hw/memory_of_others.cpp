// A memory as a plug-in: a timing model and its registration, without a change to kbsim.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/hw/memory/memory_model.hpp"

#include "hbm_machine.hpp"

namespace kbsim::hw::test::memory_of_others_test {
namespace {

struct TwoBanksSpec {
  Time access = 20_ns;
  static void describe(FieldList<TwoBanksSpec>& f) {
    f.add("access_ns", &TwoBanksSpec::access, kNotNegative, "time for which a bank is taken by each request");
  }
};

/// Packets of even and of odd number are in different banks; a bank serves one at a time.
class TwoBanks final : public IMemoryTiming {
 public:
  TwoBanks(const MemorySite& site, const TwoBanksSpec& spec) : spec_{spec}, account_{site.link} {}

  Lane::Slot serve(const MemoryRequest& request) override {
    const Lane::Slot slot{first_byte(request), first_byte(request) + spec_.access};
    free_[bank(request)] = slot.end;
    account_.note(request.bytes, request.tail, slot.start);
    return slot;
  }
  [[nodiscard]] Time first_byte(const MemoryRequest& request) const override {
    return std::max(request.tail, free_[bank(request)]);
  }
  [[nodiscard]] MemoryPort port(bool) const override { return {.latency = Time{0}, .rate = account_.rate()}; }
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_of(account_)}; }

 private:
  static std::size_t bank(const MemoryRequest& request) {
    return static_cast<std::size_t>(request.address / 256 % 2);
  }

  TwoBanksSpec spec_;
  Lane account_;
  Time free_[2]{};
};
KBSIM_MEMORY("test.two_banks", NodeKind::hbm_ctrl, TwoBanks, TwoBanksSpec, "two banks, one request each");

// The time at which the last of these reads, of one packet each, is answered.
Time takes(const std::vector<std::int64_t>& packets, std::map<std::string, Scalar> attrs = {}) {
  SliceMachine machine{"test.two_banks", std::move(attrs)};
  for (const std::int64_t packet : packets) machine.user().read(packet * 256, 256_B);
  const Time last = machine.run();
  machine.machine().fabric().audit();
  return last;
}

}  // namespace

TEST_CASE("Memory of a plug-in: serves by its own rules, and has its own attributes") {
  const Time one = takes({0});
  CHECK(takes({0, 2}) == one + 20_ns);
  CHECK(takes({0, 2, 4}) == one + 40_ns);
  CHECK(takes({0, 2, 4}, {{"access_ns", 30.0}}) == takes({0}, {{"access_ns", 30.0}}) + 60_ns);
  CHECK(takes({0, 1, 2, 3}) < one + 40_ns);
}

TEST_CASE("Memory of a plug-in: takes any scheduler") {
  const Time in_order = takes({0, 2, 4, 1, 3});
  CHECK(takes({0, 2, 4, 1, 3}, {{"scheduler", std::string{"test.first_ready"}}}) <= in_order);
  CHECK(takes({0, 2, 4, 1, 3}, {{"scheduler", std::string{"test.last_first"}}}) > in_order);
}

}  // namespace kbsim::hw::test::memory_of_others_test
