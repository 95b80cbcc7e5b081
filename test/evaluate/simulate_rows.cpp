#include "kbsim/evaluate/simulate_rows.hpp"

#include <csignal>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"

#include "send_signal.hpp"

namespace kbsim::evaluate::test::simulate_rows_test {
namespace {

constexpr Parallel kOneThread{.threads = 1, .progress = false};

struct Begun {
  Simulated simulated;
  std::vector<std::size_t> order;
};

Begun begun(std::size_t n, BeginWith begin_with, std::size_t ctrl_c_in) {
  Begun result;
  result.simulated = simulate_rows(n, kOneThread, begin_with, [&](std::size_t i) {
    result.order.push_back(i);
    if (i == ctrl_c_in) kbsim::test::send_stop(SIGINT);
    return boost::json::object{{"row", i}};
  });
  return result;
}

Rows rows_of(const std::vector<std::size_t>& numbers) {
  Rows rows;
  for (const std::size_t i : numbers) rows.push_back(boost::json::object{{"row", i}});
  return rows;
}

}  // namespace

TEST_CASE("simulate_rows: rows are in their order, whichever are begun first") {
  for (const BeginWith begin_with : {BeginWith::first, BeginWith::last}) {
    const Begun all = begun(3, begin_with, 99);
    CHECK(all.simulated.rows == rows_of({0, 1, 2}));
    CHECK(all.simulated.whole);
    CHECK(all.order.front() == (begin_with == BeginWith::first ? 0 : 2));
  }
}

TEST_CASE("simulate_rows: a deadlock costs its own row alone, and is kept by its name") {
  const auto row = [](std::size_t i) {
    if (i % 2 == 1) throw DeadlockReport{DeadlockError{7_ns, {}}, WaitGraph{}};
    return boost::json::object{{"row", i}};
  };
  for (const BeginWith begin_with : {BeginWith::first, BeginWith::last}) {
    const Simulated found = simulate_rows(4, kOneThread, begin_with, row);
    CHECK(found.rows == rows_of({0, 2}));
    CHECK(found.whole);
    REQUIRE(found.deadlocks.size() == 2);
    CHECK(found.deadlocks[0].simulation == "2 of 4");
    CHECK(found.deadlocks[1].simulation == "4 of 4");
  }
  const Simulated named = simulate_rows(2, kOneThread, BeginWith::first, row, "simulations",
                                        [](std::size_t i) { return "row " + std::to_string(i); });
  CHECK(named.deadlocks[0].simulation == "row 1");
}

TEST_CASE("simulate_rows: whatever a simulation throws costs its own row alone") {
  const auto row = [](std::size_t i) {
    if (i == 1) throw Unsupported{"no such thing"};
    if (i == 2) throw KernelFault{"k.cpp:7: wrong shape"};
    if (i == 4) throw LimitError{"--max-events 9", {}};
    if (i == 5) throw UsageError{"too large a packet"};
    if (i == 6) throw std::bad_alloc{};
    if (i == 7) throw std::out_of_range{"no such key"};
    return boost::json::object{{"row", i}};
  };
  const std::vector<std::tuple<std::string, ExitCode, std::string>> expected{
      {"2 of 9", ExitCode::unsupported, "no such thing"},
      {"3 of 9", ExitCode::deadlock, "k.cpp:7: wrong shape"},
      {"5 of 9", ExitCode::limit, "--max-events 9"},
      {"6 of 9", ExitCode::usage, "too large a packet"},
      {"7 of 9", ExitCode::limit, "out of memory; a smaller machine or smaller sizes may fit"},
      {"8 of 9", ExitCode::internal, "internal error: no such key"}};
  for (const BeginWith begin_with : {BeginWith::first, BeginWith::last}) {
    const Simulated found = simulate_rows(9, kOneThread, begin_with, row);
    CHECK(found.rows == rows_of({0, 3, 8}));
    CHECK(found.whole);
    CHECK_FALSE(has_all_rows(found));
    REQUIRE(found.failures.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(found.failures[i].simulation == std::get<0>(expected[i]));
      CHECK(found.failures[i].exit == std::get<1>(expected[i]));
      CHECK(found.failures[i].text.starts_with(std::get<2>(expected[i])));
    }
  }
}

TEST_CASE("simulate_rows: a simulation that a signal ended has not failed") {
  const auto row = [](std::size_t i) {
    if (i == 1) throw Interrupted{"interrupted"};
    return boost::json::object{{"row", i}};
  };
  const Simulated found = simulate_rows(3, kOneThread, BeginWith::first, row);
  CHECK(found.rows == rows_of({0, 2}));
  CHECK(found.failures.empty());
  CHECK_FALSE(found.whole);
}

TEST_CASE("simulate_rows: after Ctrl-C, those that have ended") {
  const Begun first = begun(4, BeginWith::first, 1);
  CHECK(first.simulated.rows == rows_of({0, 1}));
  CHECK_FALSE(first.simulated.whole);
  const Begun last = begun(4, BeginWith::last, 2);
  CHECK(last.simulated.rows == rows_of({2, 3}));
  CHECK_FALSE(last.simulated.whole);
}

}  // namespace kbsim::evaluate::test::simulate_rows_test
