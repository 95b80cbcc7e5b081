#include "kbsim/signals/hangs.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/watched.hpp"

namespace kbsim::test::hangs_test {
namespace {

using Seconds = Hangs::Seconds;

// A simulation as another thread sees it.
struct Run {
  std::uint64_t events = 1;
  const void* process = nullptr;

  [[nodiscard]] WatchedRun::Reader reader() const {
    return {.running = [](const void* of) { return static_cast<const Run*>(of)->process; },
            .events = [](const void* of) { return static_cast<const Run*>(of)->events; },
            .of = this};
  }
};

double lasts(Hangs& hangs, double passed) {
  const auto hang = hangs.look(Seconds{passed});
  return hang ? hang->lasts.count() : 0.0;
}

}  // namespace

TEST_CASE("Hangs: an event lasts from the first look at it on, and an event that ends begins anew") {
  Hangs hangs;
  Run run;
  CHECK(lasts(hangs, 0.5) == 0.0);
  const WatchedRun watched{run.reader()};
  CHECK(lasts(hangs, 0.5) == 0.0);
  CHECK(lasts(hangs, 0.5) == 0.5);
  CHECK(lasts(hangs, 0.25) == 0.75);
  ++run.events;
  CHECK(lasts(hangs, 0.5) == 0.0);
  CHECK(lasts(hangs, 0.5) == 0.5);
}

TEST_CASE("Hangs: a simulation that no thread is in doesn't hang; of several the longest is reported") {
  Hangs hangs;
  Run run;
  Run other;
  WatchedRun watched{run.reader(), false};
  CHECK(lasts(hangs, 1.0) == 0.0);
  CHECK(lasts(hangs, 1.0) == 0.0);
  watched.enter();
  CHECK(lasts(hangs, 1.0) == 1.0);
  const WatchedRun also{other.reader()};
  CHECK(lasts(hangs, 1.0) == 2.0);
  ++run.events;
  CHECK(lasts(hangs, 1.0) == 1.0);
  watched.leave();
  ++other.events;
  CHECK(lasts(hangs, 1.0) == 0.0);
}

TEST_CASE("Hangs: what kbsim itself computes doesn't count; a user's function that gives no number does") {
  Hangs hangs;
  Run run;
  const WatchedRun watched{run.reader()};
  CHECK(lasts(hangs, 1.0) == 0.0);
  {
    HostWork work{"computing the numbers", "operations", 9};
    CHECK(lasts(hangs, 1.0) == 0.0);
    CHECK(lasts(hangs, 1.0) == 0.0);
  }
  CHECK(lasts(hangs, 1.0) == 1.0);
  HostWork work{"making a tensor's numbers", "elements", 9, HostWork::By::user};
  CHECK(lasts(hangs, 1.0) == 2.0);
  work.ended(3);
  CHECK(lasts(hangs, 1.0) == 0.0);
  CHECK(lasts(hangs, 1.0) == 1.0);
}

TEST_CASE("Hangs: names the program that runs, and its last command, else its launch") {
  Hangs hangs;
  Run run;
  const int process = 0;
  const int other = 0;
  const WatchedRun watched{run.reader()};
  CHECK(!hangs.look(Seconds{1.0}));
  CHECK(hangs.look(Seconds{1.0})->text() == "an event of the simulation hasn't ended for 1 s of wall time");
  run.process = &process;
  WatchedProgram::LastCommand last{std::source_location{}};
  const auto launched = std::source_location::current();
  const WatchedProgram program{"kernel k on pe0", &process, launched, &last};
  const WatchedProgram beside{"kernel k on pe1", &other};
  CHECK(hangs.look(Seconds{1.0})->text() ==
        "kernel k on pe0 hasn't returned for 2 s of wall time since its launch at " +
            to_string(to_place(launched)));
  const auto command = std::source_location::current();
  last = command;
  CHECK(hangs.look(Seconds{0.5})->text() ==
        "kernel k on pe0 hasn't returned for 2.5 s of wall time since " + to_string(to_place(command)));
  run.process = &other;
  CHECK(hangs.look(Seconds{0.5})->text() == "kernel k on pe1 hasn't returned for 3 s of wall time");
}

}  // namespace kbsim::test::hangs_test
