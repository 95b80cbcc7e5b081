// Gathers in time: costs and requests.
#include <numeric>

#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::gather_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr std::int64_t kRow = 64;  // elements
constexpr std::int64_t kRows = 8;

struct TookArgs {
  Time* took = nullptr;
};

Task<> gathers(TL& tl, TookArgs args) {
  const Tile indices = tl.arange(0, kRows);
  co_await tl.sync();  // they are ready
  const Time start = tl.clock();
  co_await tl.gather(kHere, indices, {.row = kRow});
  *args.took = tl.clock() - start;
}

Task<> gathers_what_is_computed(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  const Tile indices = tl.arange(0, kRows);
  co_await tl.gather(kHere, indices, {.row = kRow});
  *args.took = tl.clock() - start;
}

Task<> loads(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.load(kHere, {kRows, kRow}, f16);
  *args.took = tl.clock() - start;
}

struct Outcome {
  Time took{};
  std::int64_t requests = 0;  // to the HBM slice
  std::string error;
};

// The indices count up or down, or aren't computed.
Outcome run(Task<> (*kernel)(TL&, TookArgs), bool up = true, bool computes = true) {
  const auto evaluator = [up](const oplog::Operand& what) {
    std::vector<double> numbers(static_cast<std::size_t>(what.shape.elements()));
    std::iota(numbers.begin(), numbers.end(), 0.0);
    if (!up) std::ranges::reverse(numbers);
    return numbers;
  };
  Outcome outcome;
  Rig rig{small_machine()};
  if (computes) rig.machine->set_evaluator(evaluator);
  rig.machine->fabric().trace_messages();
  try {
    rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                           bind_kernel("kernel", kernel, TookArgs{&outcome.took})));
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  for (const hw::MessageTrace& trace : rig.machine->fabric().traces())
    if (trace.to == rig.hbm(kPe)) ++outcome.requests;
  return outcome;
}

}  // namespace

TEST_CASE("Gather: consecutive rows cost what a load of them does, and are one request") {
  const Outcome gathered = run(gathers);
  const Outcome loaded = run(loads);
  CHECK(gathered.took == loaded.took);
  CHECK(gathered.requests == loaded.requests);
  CHECK(loaded.requests == 1);
}

TEST_CASE("Gather: rows that don't follow one another are a request each") {
  const Outcome down = run(gathers, false);
  CHECK(down.requests == kRows);
  CHECK(down.took == run(gathers).took);  // a request leaves faster than the memory serves a row
}

TEST_CASE("Gather: waits for its indices, which is what it takes longer") {
  const Time arange = 4_ns + 1_ns;  // start-up and a cycle, after the dispatch
  CHECK(run(gathers_what_is_computed).took == run(gathers).took + arange);
}

TEST_CASE("Gather: without an evaluator it is refused by name") {
  const std::string text = run(gathers, true, false).error;
  CAPTURE(text);
  CHECK(text.find("gather needs numbers, and this run computes none") != std::string::npos);
  CHECK(text.find("gather.cpp:") != std::string::npos);
}

}  // namespace kbsim::hw::test::gather_test
