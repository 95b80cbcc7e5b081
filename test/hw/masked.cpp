// Loads and stores by a mask in time: costs and requests.
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::masked_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr std::int64_t kElements = 64;

struct TookArgs {
  Time* took = nullptr;
};

Task<> loads(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  co_await tl.load(kHere, {kElements}, f16);
  *args.took = tl.clock() - start;
}

Task<> loads_by_mask(TL& tl, TookArgs args) {
  const Tile mask = tl.zeros({kElements}, DType::boolean);
  co_await tl.sync();  // it is ready
  const Time start = tl.clock();
  co_await tl.load(kHere, {kElements}, f16, {.mask = mask});
  *args.took = tl.clock() - start;
}

Task<> loads_by_computed_mask(TL& tl, TookArgs args) {
  const Time start = tl.clock();
  const Tile mask = tl.zeros({kElements}, DType::boolean);
  co_await tl.load(kHere, {kElements}, f16, {.mask = mask});
  *args.took = tl.clock() - start;
}

Task<> stores(TL& tl, TookArgs args) {
  const Tile tile = tl.zeros({kElements}, f16);
  co_await tl.sync();
  const Time start = tl.clock();
  co_await tl.store(kHere, tile);
  *args.took = tl.clock() - start;
}

Task<> stores_by_mask(TL& tl, TookArgs args) {
  const Tile tile = tl.zeros({kElements}, f16);
  const Tile mask = tl.zeros({kElements}, DType::boolean);
  co_await tl.sync();
  const Time start = tl.clock();
  co_await tl.store(kHere, tile, {.mask = mask});
  *args.took = tl.clock() - start;
}

// The mask is older than the tile, which pe_math computes last.
Task<> stores_what_is_computed(TL& tl, TookArgs args) {
  const Tile mask = tl.zeros({kElements}, DType::boolean);
  co_await tl.sync();
  const Time start = tl.clock();
  Tile tile = tl.zeros({1024, 64}, f16);
  tile = tl.sum(tile, {.axis = 0});
  co_await tl.store(kHere, tile, {.mask = mask});
  *args.took = tl.clock() - start;
}

struct Outcome {
  Time took{};
  std::int64_t requests = 0;  // to the HBM slice
  std::string error;
};

// Each mask is true at the elements i with i % period < width. A period of 0: no numbers are computed.
Outcome run(Task<> (*kernel)(TL&, TookArgs), std::int64_t period = 1, std::int64_t width = 1) {
  const auto evaluator = [=](const oplog::Operand& what) {
    std::vector<double> numbers(static_cast<std::size_t>(what.shape.elements()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<std::int64_t>(i) % period < width ? 1.0 : 0.0;
    return numbers;
  };
  Outcome outcome;
  Rig rig{small_machine()};
  if (period > 0) rig.machine->set_evaluator(evaluator);
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

TEST_CASE("Masks: a load or store with a true mask costs what one without does") {
  CHECK(run(loads_by_mask).took == run(loads).took);
  CHECK(run(stores_by_mask).took == run(stores).took);
  CHECK(run(loads_by_mask).requests == 1);
  CHECK(run(stores_by_mask).requests == run(stores).requests);
}

TEST_CASE("Masks: true elements that follow one another are one request") {
  CHECK(run(loads_by_mask, 8, 8).requests == 1);
  CHECK(run(loads_by_mask, 8, 3).requests == kElements / 8);
  CHECK(run(loads_by_mask, 2, 1).requests == kElements / 2);
  CHECK(run(stores_by_mask, 8, 3).requests == kElements / 8);
}

TEST_CASE(
    "Masks: without a true element there is no request, and the command is done when it has passed the MMU") {
  const Time dispatch = 4_ns;
  for (const auto kernel : {loads_by_mask, stores_by_mask}) {
    const Outcome outcome = run(kernel, 1, 0);
    CHECK(outcome.requests == 0);
    CHECK(outcome.took < run(kernel).took);
    CHECK(outcome.took >= dispatch);
  }
}

TEST_CASE("Masks: a command waits for its mask, which is what it takes longer") {
  const Time zeros = 4_ns + 1_ns;  // start-up and a cycle, after the dispatch
  CHECK(run(loads_by_computed_mask).took == run(loads_by_mask).took + zeros);
}

TEST_CASE("Masks: a store leaves no sooner than its tile is ready") {
  const Time computed = 2 * 4_ns + 2 * (1024_ns) + 4_ns;  // a fill and a sum, after the first dispatch
  const Outcome outcome = run(stores_what_is_computed);
  CHECK(outcome.error.empty());
  CHECK(outcome.took > computed);
  CHECK(outcome.took < computed + run(stores).took);
}

TEST_CASE("Masks: without an evaluator they are refused by name") {
  const std::string load = run(loads_by_mask, 0).error;
  CAPTURE(load);
  CHECK(load.find("load with a mask needs numbers, and this run computes none") != std::string::npos);
  CHECK(load.find("masked.cpp:") != std::string::npos);
  CHECK(run(stores_by_mask, 0).error.find("store with a mask needs numbers") != std::string::npos);
}

}  // namespace kbsim::hw::test::masked_test
