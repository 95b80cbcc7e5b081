#include "kbsim/sim/windows.hpp"

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/mailbox.hpp"

#include "trace.hpp"

namespace kbsim::test::windows_test {
namespace {

constexpr Time kLookahead = 10_ns;

struct Letter {
  Mailbox<int>* to;
  Time at;
  int hops;  // that are left
};

class Post final : public Border<Letter> {
 public:
  using Border::Border;
  void send(const Letter& letter) { post(letter.at, letter); }

 private:
  void arrives(Letter& letter) override { letter.to->post(letter.at, letter.hops); }
};

/// Processes that send letters to one another, each to the next at random, until their hops are used up. Half
/// of the graphs have lookaheads of their own for each border.
class Graph {
 public:
  /// `whole`: one simulation has all of it.
  Graph(std::uint64_t seed, std::optional<std::uint64_t> shuffle, bool whole = false)
      : random_{seed}, whole_{whole} {
    const std::size_t count = 1 + random_() % 8;
    for (std::size_t i = 0; i < count; ++i) {
      SimulationOptions options;
      if (shuffle) options.shuffle_ties = *shuffle + i;
      if (!whole || i == 0) sims_.push_back(std::make_unique<Simulation>(options));
      boxes_.push_back(std::make_unique<Mailbox<int>>(sim(i), "box"));
    }
    std::vector<Simulation*> all;
    for (const auto& sim : sims_) all.push_back(sim.get());
    windows_ = std::make_unique<Windows>(all);
    windows_->set_lookahead(kLookahead);
    traces_.resize(count);
    add_posts(count, seed % 2 == 0);
    for (std::size_t i = 0; i < count; ++i) {
      (void)sim(i).serve("process", live(i, random_()));
      const std::uint64_t letters = random_() % 6;
      for (std::uint64_t n = 0; n < letters; ++n)
        boxes_[i]->post(Time{static_cast<std::int64_t>(random_() % 30'000)},
                        static_cast<int>(random_() % 60));
    }
  }
  ~Graph() {
    for (const auto& sim : sims_) sim->clear();
  }

  std::vector<Trace> run(unsigned threads) {
    if (whole_)
      sims_.front()->run();
    else
      windows_->run(threads);
    return traces_;
  }
  void force_meetings() { windows_->force_meetings(true); }
  [[nodiscard]] const Windows& windows() const { return *windows_; }
  [[nodiscard]] Time now(std::size_t process) const { return sims_[process]->now(); }
  [[nodiscard]] std::size_t count() const { return boxes_.size(); }

 private:
  [[nodiscard]] Simulation& sim(std::size_t process) { return *sims_[whole_ ? 0 : process]; }

  void add_posts(std::size_t count, bool own_lookaheads) {
    posts_.resize(count);
    lookaheads_.resize(count);
    for (std::size_t from = 0; from < count; ++from) {
      for (std::size_t to = 0; to < count; ++to) {
        const Time own{static_cast<std::int64_t>(2'000 + random_() % 30'000)};
        lookaheads_[from].push_back(own_lookaheads ? own : kLookahead);
        posts_[from].push_back(from == to || whole_ ? nullptr : std::make_unique<Post>(*windows_, from, to));
        if (posts_[from].back() != nullptr) posts_[from].back()->set_lookahead(lookaheads_[from].back());
      }
    }
  }

  // Letters of one time are taken together and sorted: their order doesn't matter.
  Task<> live(std::size_t me, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<int> letters;
    for (;;) {
      letters.clear();
      co_await boxes_[me]->collect(letters);
      std::ranges::sort(letters);
      for (const int hops : letters) {
        note(&traces_[me], sim(me), std::to_string(hops));
        if (hops > 0) pass_on(me, hops - 1, random);
        if (random() % 4 == 0) co_await sim(me).delay(Time{static_cast<std::int64_t>(random() % 7'000)});
      }
    }
  }

  void pass_on(std::size_t me, int hops, std::mt19937_64& random) {
    const std::size_t to = random() % boxes_.size();
    const Time late{random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 40'000)};
    const Time at = sim(me).now() + lookaheads_[me][to] + late;
    if (to == me || whole_)
      boxes_[to]->post(at, hops);
    else
      posts_[me][to]->send({.to = boxes_[to].get(), .at = at, .hops = hops});
  }

  std::mt19937_64 random_;
  bool whole_;
  std::vector<std::unique_ptr<Simulation>> sims_;
  std::vector<std::unique_ptr<Mailbox<int>>> boxes_;
  std::unique_ptr<Windows> windows_;
  std::vector<std::vector<std::unique_ptr<Post>>> posts_;
  std::vector<std::vector<Time>> lookaheads_;
  std::vector<Trace> traces_;
};

/// Two processes and a border each way.
struct Pair {
  explicit Pair(const SimulationOptions& options = {}) : first{options}, second{options} {
    windows.set_lookahead(kLookahead);
  }
  ~Pair() {
    first.clear();
    second.clear();
  }
  Simulation first;
  Simulation second;
  Mailbox<int> here{first, "here"};
  Mailbox<int> there{second, "there"};
  Windows windows{{&first, &second}};
  Post out{windows, 0, 1};
  Post back{windows, 1, 0};
};

Task<> send_at(Pair* pair, Time when, Time at) {
  co_await pair->first.until(when);
  pair->out.send({.to = &pair->there, .at = at, .hops = 0});
}

Task<> receive(Simulation* sim, Mailbox<int>* box, Trace* trace) {
  const int got = co_await box->receive();
  note(trace, *sim, std::to_string(got));
}

Task<> answer(Pair* pair) {
  const int got = co_await pair->there.receive();
  pair->back.send({.to = &pair->here, .at = pair->second.now() + kLookahead, .hops = got + 7});
}

Task<> tick(Simulation* sim, Trace* trace, Time each, int times) {
  for (int i = 0; i < times; ++i) {
    co_await sim->delay(each);
    note(trace, *sim, "tick");
  }
}

Task<> fail_at(Simulation* sim, Time when, std::string text) {
  co_await sim->until(when);
  throw KernelFault{text};
}

std::string failure_of(Pair& pair) {
  try {
    pair.windows.run(2);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Windows: random graphs of processes do on any number of threads what one simulation does") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const std::vector<Trace> expected = Graph{seed, {}, true}.run(1);
    Graph alone{seed, {}};
    CHECK(alone.run(1) == expected);
    CHECK(alone.windows().meetings() == 0);
    for (const unsigned threads : {2U, 3U, 4U, 8U}) {
      for (const bool shuffled : {false, true}) {
        Graph graph{seed, shuffled ? std::optional{seed} : std::nullopt};
        if (threads != 3) graph.force_meetings();
        REQUIRE(graph.run(threads) == expected);
        if (threads == 2 && graph.count() > 4) CHECK(graph.windows().meetings() > 0);
        CHECK(graph.windows().windows() == alone.windows().windows());
        if (!shuffled) CHECK(graph.windows().events() == alone.windows().events());
        for (std::size_t i = 0; i < graph.count(); ++i) CHECK(graph.now(i) == alone.now(0));
      }
    }
  }
}

TEST_CASE("Windows: what is posted is there at its time, in a process that has nothing else to do") {
  Pair pair;
  Trace trace;
  (void)pair.first.spawn("sender", send_at(&pair, 5_ns, 15_ns));
  (void)pair.second.spawn("receiver", receive(&pair.second, &pair.there, &trace));
  pair.windows.run(2);
  CHECK(trace == Trace{"0@15 ns"});
  CHECK(pair.first.now() == 15_ns);
}

TEST_CASE("Windows: a window lasts until a message may arrive; the earliest process goes on alone") {
  Pair pair;
  (void)pair.first.spawn("a", sleep(&pair.first, 9_ns));
  (void)pair.second.spawn("b", sleep(&pair.second, 10_ns));
  (void)pair.second.spawn("c", sleep(&pair.second, 600_ns));
  (void)pair.second.spawn("d", sleep(&pair.second, 500_us));
  pair.windows.run(1);
  // [0, 10): a; b and c, within 64 lookaheads, as no process is left to disturb them; d.
  CHECK(pair.windows.windows() == 3);
}

TEST_CASE("Windows: a process that goes on alone and sends stops where an answer may arrive") {
  Pair pair;
  Trace trace;
  (void)pair.first.spawn("asks", send_at(&pair, 5_ns, 15_ns));
  (void)pair.second.spawn("answers", answer(&pair));
  (void)pair.first.spawn("hears", receive(&pair.first, &pair.here, &trace));
  (void)pair.first.spawn("works", tick(&pair.first, &trace, 12_ns, 4));
  pair.windows.run(2);
  CHECK(trace == Trace{"tick@12 ns", "tick@24 ns", "7@25 ns", "tick@36 ns", "tick@48 ns"});
}

TEST_CASE("Windows: a post for the present window is an error of ours") {
  Pair pair;
  (void)pair.first.spawn("sender", send_at(&pair, 5_ns, 9_ns));
  CHECK_THROWS_AS(pair.windows.run(1), ProcessError);
  CHECK_THROWS_AS(pair.windows.set_lookahead(Time{0}), UsageError);
}

TEST_CASE("Windows: of processes that fail the first one's failure is thrown, with its process and time") {
  Pair pair;
  (void)pair.first.spawn("late", fail_at(&pair.first, 4_ns, "late"));
  (void)pair.second.spawn("early", fail_at(&pair.second, 3_ns, "early"));
  CHECK(failure_of(pair) == "process early at 3 ns: early");
}

TEST_CASE("Windows: the first to fail has more to do before the other one fails") {
  Pair pair;
  (void)pair.first.spawn("later", fail_at(&pair.first, 4_ns, "later"));
  (void)pair.second.spawn("first", fail_at(&pair.second, 3_ns, "first"));
  (void)pair.second.spawn("goes on", fail_at(&pair.second, 5_ns, "never told"));
  CHECK(failure_of(pair) == "process first at 3 ns: first");
}

TEST_CASE("Windows: those that wait in any process for what never comes are a deadlock at the last event") {
  Pair pair;
  Trace trace;
  (void)pair.first.spawn("a", sleep(&pair.first, 70_ns));
  (void)pair.second.spawn("b", receive(&pair.second, &pair.there, &trace));
  CHECK(failure_of(pair).starts_with(
      "deadlock at 70 ns: nothing is left to happen, and 1 process waits\n  b "));
}

TEST_CASE("Windows: events of the limit of time run, later ones are reported") {
  Pair pair{{.stop_at = 70_ns}};
  Trace trace;
  (void)pair.first.spawn("a", note_after(&pair.first, &trace, "a", 70_ns));
  (void)pair.second.spawn("b", note_after(&pair.second, &trace, "b", 70_ns + 1_ps));
  CHECK(failure_of(pair).starts_with("stopped at 70 ns, the limit that was set; 1 process waits\n  b "));
  CHECK(trace == Trace{"a@70 ns"});
}

}  // namespace kbsim::test::windows_test
