// Effects that a memory's order of service may have, and effects that it may not have.
#include <doctest/doctest.h>

#include "kbsim/hw/memory/memory.hpp"
#include "kbsim/oplog/log_memory.hpp"

#include "hbm_machine.hpp"
#include "hbm_support.hpp"
#include "random_machine.hpp"

namespace kbsim::hw::test::memory_scheduler_test {

using kbsim::hw::test::Random;

namespace {

/// In order like in_order, but through the queue: the oldest of any number of requests.
class Queued final : public IMemoryScheduler {
 public:
  [[nodiscard]] std::size_t window() const override { return 1'000'000; }
  [[nodiscard]] std::size_t pick(std::span<const MemoryRequest>, const IMemoryTiming&) override { return 0; }
};
KBSIM_MEMORY_SCHEDULER("test.queued", Queued, "in order of arrival, picked late");

const std::vector<std::string> kModels{"builtin.hbm_ctrl", "builtin.hbm_banks"};

struct Access {
  bool write = false;
  std::int64_t address = 0;
  Bytes bytes;
  Time gap = 1_ps;  // after the one before it: those of one time are taken by address

  [[nodiscard]] bool overlaps(const Access& other) const {
    return address < other.address + other.bytes.count() && other.address < address + bytes.count();
  }
};
using Program = std::vector<Access>;

// The value that the i-th access writes.
oplog::ValueId value(std::size_t i) { return {.lane = 0, .seq = static_cast<std::uint32_t>(i)}; }

Program any_program(Random& random, int largest = 2000) {
  Program program;
  for (int i = 0; i < 60; ++i)
    program.push_back({.write = random.below(2) == 0,
                       .address = 64 * random.below(128) + (1 << 17) * random.below(2),
                       .bytes = Bytes{random.between(1, largest)},
                       .gap = random.between(1, 6'000) * 1_ps});
  return program;
}

Task<> ask(SliceMachine* machine, Program program) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Access& access = program[i];
    co_await machine->machine().sim().delay(access.gap);
    if (access.write) {
      machine->user().write(access.address, access.bytes, value(i));
    } else {
      machine->user().read(access.address, access.bytes);
    }
  }
}

// The answers in their order; tokens count from 1.
std::vector<SliceUser::Answer> answers(const std::string& model, const std::string& scheduler,
                                       const Program& program) {
  SliceMachine machine{model, {{"scheduler", scheduler}}};
  (void)machine.machine().sim().spawn("accesses", ask(&machine, program));
  (void)machine.run();
  machine.machine().fabric().audit();
  return machine.user().answers();
}

std::vector<std::size_t> order_of(const std::vector<SliceUser::Answer>& all) {
  std::vector<std::size_t> order;
  for (const SliceUser::Answer& answer : all) order.push_back(answer.token - 1);
  return order;
}

// The contents of each read if values are bound in the order of the accesses.
std::vector<oplog::Slices> bound(const Program& program) {
  oplog::MemoryImage image;
  std::vector<oplog::Slices> contents(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Access& access = program[i];
    const std::int64_t bytes = access.bytes.count();
    if (access.write) {
      image.write(access.address, {value(i), 0, bytes});
    } else {
      contents[i] = image.read(access.address, bytes);
    }
  }
  return contents;
}

// One packet of each of these rows of one bank, all at once.
Program packets_of_rows(const std::vector<std::int64_t>& rows) {
  Program program;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i);
    program.push_back({.address = address_of(HbmSpec{}, {.row = rows[i]}, column), .bytes = 256_B});
  }
  return program;
}

}  // namespace

TEST_CASE("Memory scheduler: requests that are picked late in order of arrival take in_order's times") {
  for (const std::string& model : kModels) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(model);
      CAPTURE(seed);
      Random random{seed};
      const Program program = any_program(random);
      CHECK(answers(model, "test.queued", program) == answers(model, "in_order", program));
    }
  }
}

TEST_CASE(
    "Memory scheduler: in any order each request is answered once, with what was bound at its arrival") {
  for (const std::string scheduler : {"in_order", "test.first_ready", "test.last_first"}) {
    for (const std::string& model : kModels) {
      bool reordered = false;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(scheduler);
        CAPTURE(model);
        CAPTURE(seed);
        Random random{seed};
        const Program program = any_program(random);
        const std::vector<oplog::Slices> expected = bound(program);
        const auto all = answers(model, scheduler, program);
        CHECK(all.size() == program.size());
        std::vector<std::size_t> order = order_of(all);
        reordered |= !std::ranges::is_sorted(order);
        std::ranges::sort(order);
        CHECK(std::ranges::adjacent_find(order) == order.end());
        for (const SliceUser::Answer& answer : all) CHECK(answer.contents == expected[answer.token - 1]);
      }
      CHECK((reordered || scheduler == "in_order"));
    }
  }
}

TEST_CASE("Memory scheduler: where commands are ordered each request is answered once, with what was bound") {
  bool reordered = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const Program program = any_program(random);
    const std::vector<oplog::Slices> expected = bound(program);
    const auto all = answers("builtin.hbm_banks", "fr_fcfs", program);
    CHECK(answers("builtin.hbm_banks", "fr_fcfs", program) == all);
    std::vector<std::size_t> order = order_of(all);
    reordered |= !std::ranges::is_sorted(order);
    std::ranges::sort(order);
    CHECK(order.size() == program.size());
    CHECK(std::ranges::adjacent_find(order) == order.end());
    for (const SliceUser::Answer& answer : all) CHECK(answer.contents == expected[answer.token - 1]);
  }
  CHECK(reordered);
}

// With one port and requests of one packet, answers come in the order of service.
TEST_CASE("Memory scheduler: requests of overlapping bytes are served in the order of their arrival") {
  int overlaps = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const Program program = any_program(random, 256);
    const std::vector<std::size_t> order = order_of(answers("builtin.hbm_ctrl", "test.last_first", program));
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t later = i + 1; later < order.size(); ++later) {
        if (!program[order[i]].overlaps(program[order[later]])) continue;
        CHECK(order[i] < order[later]);
        ++overlaps;
      }
    }
  }
  CHECK(overlaps > 100);
}

TEST_CASE("Memory scheduler: the latest first, one at a time, serves requests after the first backwards") {
  const Program program(5, {.bytes = 256_B});
  Program apart = program;
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i].address = static_cast<std::int64_t>(i) * 256;
  CHECK(order_of(answers("builtin.hbm_ctrl", "test.last_first", apart)) ==
        std::vector<std::size_t>{0, 4, 3, 2, 1});
  CHECK(order_of(answers("builtin.hbm_ctrl", "test.last_first", program)) ==
        std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("Memory scheduler: first ready serves an open row before older requests of another row") {
  const Program program = packets_of_rows({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  const auto in_order = answers("builtin.hbm_banks", "in_order", program);
  const auto first_ready = answers("builtin.hbm_banks", "test.first_ready", program);
  CHECK(order_of(in_order) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  // The first four fill the window as they come, and leave row 1 open.
  CHECK(order_of(first_ready) == std::vector<std::size_t>{0, 1, 2, 3, 5, 7, 9, 11, 4, 6, 8, 10});
  CHECK(first_ready.back().at < in_order.back().at - 5 * HbmSpec{}.trc);
}

TEST_CASE("Memory timing: first_byte() is the start that serve() then gives, of single bursts") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    const HbmSpec spec{.trefi = random.any_of({0_ns, 700_ns, 3'900_ns})};
    HbmTiming slice{spec, kRaw};
    Time at{};
    for (int i = 0; i < 400; ++i) {
      at += random.below(20'000) * 1_ps;
      const std::int64_t address = address_of(spec,
                                              {.channel = random.below(2),
                                               .group = random.below(4),
                                               .bank = random.below(4),
                                               .row = random.below(3)},
                                              random.below(4));
      const bool write = random.below(2) == 0;
      const Time expected = slice.first_byte(address, spec.burst, write, at);
      REQUIRE(slice.serve(address, spec.burst, write, at).start == expected);
    }
  }
}

TEST_CASE("Memory timing: no start is before first_byte(), of accesses of any size") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    HbmTiming slice{HbmSpec{}, kRaw};
    for (int i = 0; i < 200; ++i) {
      const std::int64_t address = random.below(1 << 24);
      const Bytes n{random.between(1, 3000)};
      const Time at = i * 10_ns;
      const bool write = random.below(2) == 0;
      const Time bound = slice.first_byte(address, n, write, at);
      CHECK(slice.serve(address, n, write, at).start >= bound);
    }
  }
}

TEST_CASE("Memory scheduler: an unregistered one is refused with node, key, place and the nearest name") {
  CHECK_THROWS_WITH_AS(
      SliceMachine("builtin.hbm_ctrl", {{"scheduler", std::string{"in_oder"}}}),
      "t.yaml:7: sip0.cube0.hbm0.scheduler: unknown memory scheduler 'in_oder', did you mean "
      "'in_order'?",
      ConfigError);
}

}  // namespace kbsim::hw::test::memory_scheduler_test
