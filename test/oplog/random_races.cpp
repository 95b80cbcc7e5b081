// Findings of RaceCheck on random programs, against sets of all operations that each agent knows.
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "looked.hpp"

namespace kbsim::oplog::race_test {

namespace {

// A random program; each step goes to the check and to the sets of operations that each agent knows.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed, bool careful) : random_{seed}, careful_{careful} {
    for (int i = 0; i < kAgents; ++i) agents_.push_back({.agent = looked_.agent()});
  }

  void run() {
    for (int step = 0; step < 120; ++step) {
      switch (next(6)) {
        case 0:
        case 1: access(next(2) == 0); break;
        case 2: await(next(kAgents)); break;
        case 3: publish(); break;
        case 4: meet(); break;
        default: atomic(); break;
      }
    }
  }

 private:
  static constexpr int kAgents = 5;
  static constexpr int kBytes = 6;
  using Set = std::set<int>;
  struct Done {
    int id;
    bool write;
    bool atomic;
    std::int64_t first;
    std::int64_t end;
    ValueId op;
  };
  struct UnderWay {
    IssuePtr issue;
    int id;
    Set gift;
  };
  struct One {
    AgentPtr agent;
    Set knows = {};
    std::vector<UnderWay> under_way = {};
  };

  int next(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  ValueId op(int agent) { return {static_cast<std::uint32_t>(agent), static_cast<std::uint32_t>(next_++)}; }

  // The check must find a race if `done` races with an operation, and must name only operations that race.
  void judge(const Done& done, const Set& knew, std::size_t found) {
    std::set<ValueId> racing;
    for (const Done& other : all_) {
      const bool meets = other.first < done.end && done.first < other.end;
      const bool conflict = (other.write || done.write) && !(other.atomic && done.atomic);
      if (meets && conflict && !knew.contains(other.id)) racing.insert(other.op);
    }
    CHECK((found > 0) == !racing.empty());
    CHECK(found <= racing.size());
    for (const Race& race : looked_.check.races()) {
      if (race.a.op == done.op) CHECK(racing.contains(race.b.op));
      if (race.b.op == done.op) CHECK(racing.contains(race.a.op));
    }
    all_.push_back(done);
  }

  void access(bool writes) {
    const int who = next(kAgents);
    if (careful_) meet();
    One& one = agents_[static_cast<std::size_t>(who)];
    const std::int64_t first = next(kBytes);
    const std::int64_t end = first + 1 + next(2);
    const Done done{next_, writes, false, first, end, op(who)};
    const auto issue = std::make_shared<Issue>(one.agent);
    const MemoryAccess what{.op = done.op, .write = writes, .call = "access", .issue = issue};
    const std::size_t found = looked_.check.add(what, range(first, end - first), 1_ns);
    judge(done, one.knows, found);
    one.under_way.push_back({.issue = issue, .id = done.id, .gift = {}});
    if (careful_) await(who);
  }

  void await(int who) {
    One& one = agents_[static_cast<std::size_t>(who)];
    if (one.under_way.empty()) return;
    const int which = next(static_cast<int>(one.under_way.size()));
    const UnderWay awaited = one.under_way[static_cast<std::size_t>(which)];
    one.under_way.erase(one.under_way.begin() + which);
    awaited.issue->awaited();
    one.knows.insert(awaited.id);
    one.knows.insert(awaited.gift.begin(), awaited.gift.end());
  }

  void publish() {
    One& from = agents_[static_cast<std::size_t>(next(kAgents))];
    One& to = agents_[static_cast<std::size_t>(next(kAgents))];
    if (&from == &to) return;
    to.agent->learn(from.agent->publish(Handover::send));
    to.knows.insert(from.knows.begin(), from.knows.end());
  }

  void meet() {
    KnowledgePtr all;
    Set sum;
    for (const One& one : agents_) {
      all = joined(looked_.tally, all, one.agent->publish(Handover::barrier));
      sum.insert(one.knows.begin(), one.knows.end());
    }
    if (next(2) == 0) all->summarize();
    for (One& one : agents_) {
      one.agent->learn(all);
      one.knows = sum;
    }
  }

  // Served at once. It leaves the knowledge of its agent and of the atomics before it, and its own end.
  void atomic() {
    const int who = next(kAgents);
    if (careful_) meet();
    One& one = agents_[static_cast<std::size_t>(who)];
    const std::int64_t at = next(kBytes);
    const Done done{next_, true, true, at, at + 1, op(who)};
    const auto issue = std::make_shared<Issue>(one.agent);
    issue->publishes(Handover::signal);
    const MemoryAccess what{.op = done.op, .write = true, .atomic = true, .call = "atomic", .issue = issue};
    const Set knew = one.knows;
    const std::size_t found = looked_.check.serve(what, range(at, 1).front(), 1_ns);
    judge(done, knew, found);
    Set& left = left_[at];
    one.under_way.push_back({.issue = issue, .id = done.id, .gift = left});
    left.insert(knew.begin(), knew.end());
    left.insert(done.id);
    if (careful_) await(who);
  }

  std::mt19937_64 random_;
  bool careful_;
  Looked looked_;
  std::vector<One> agents_;
  std::vector<Done> all_;
  std::map<std::int64_t, Set> left_;  // by atomics, by byte
  int next_ = 0;
};

}  // namespace

TEST_CASE("RaceCheck: random programs race where sets of all that each agent knows say so") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    RandomProgram{seed, false}.run();
  }
}

TEST_CASE("RaceCheck: random programs that meet before each access and await it have no race") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    RandomProgram{seed, true}.run();
  }
}

}  // namespace kbsim::oplog::race_test
