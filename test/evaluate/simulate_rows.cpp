#include "kbsim/evaluate/simulate_rows.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sim/deadlock.hpp"

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
    if (i == ctrl_c_in) (void)std::raise(SIGINT);
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

TEST_CASE("simulate_rows: a fault, a limit and what isn't supported cost their own row alone") {
  const auto row = [](std::size_t i) {
    if (i == 1) throw Unsupported{"no such thing"};
    if (i == 2) throw KernelFault{"k.cpp:7: wrong shape"};
    if (i == 4) throw LimitError{"--max-events 9", {}};
    return boost::json::object{{"row", i}};
  };
  for (const BeginWith begin_with : {BeginWith::first, BeginWith::last}) {
    const Simulated found = simulate_rows(5, kOneThread, begin_with, row);
    CHECK(found.rows == rows_of({0, 3}));
    CHECK(found.whole);
    REQUIRE(found.failures.size() == 3);
    CHECK(found.failures[0].simulation == "2 of 5");
    CHECK(found.failures[0].exit == ExitCode::unsupported);
    CHECK(found.failures[0].text == "no such thing");
    CHECK(found.failures[1].exit == ExitCode::deadlock);
    CHECK(found.failures[1].text == "k.cpp:7: wrong shape");
    CHECK(found.failures[2].simulation == "5 of 5");
    CHECK(found.failures[2].exit == ExitCode::limit);
  }
}

TEST_CASE("simulate_rows: another error costs all rows") {
  const auto wrong = [](std::size_t i) {
    if (i == 1) throw UsageError{"wrong"};
    return boost::json::object{{"row", i}};
  };
  CHECK_THROWS_WITH_AS((void)simulate_rows(3, kOneThread, BeginWith::first, wrong), "wrong", UsageError);
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
