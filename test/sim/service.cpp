#include "kbsim/sim/service.hpp"

#include <array>

#include "kbsim/sim/inbox.hpp"
#include "kbsim/sim/mailbox.hpp"
#include "kbsim/sim/merge.hpp"

#include "doctest/doctest.h"
#include "trace.hpp"

namespace kbsim::test::service_test {
namespace {

struct Item {
  int number = 0;
  Time head{};
  Posted<Item> posted{};
  Item* next = nullptr;
};

/// A box and its server, which waits from the start or is started by the first item.
template <class Box>
struct Server {
  template <class... More>
  Server(Simulation& simulation, bool later, Task<> (Server::*with)(), More... more)
      : sim{simulation}, box{simulation, name, more...}, run{with} {
    if (!later) {
      sim.serve(name, (this->*run)());
      return;
    }
    box.served_by({this, [](void* server, PartId part) {
                     auto& self = *static_cast<Server*>(server);
                     ++self.starts;
                     self.sim.serve_now(self.name, (self.*self.run)(), part);
                   }});
  }

  Task<> receive() {
    for (;;) {
      const int number = co_await box.receive();
      note(&trace, sim, std::to_string(number));
    }
  }
  Task<> collect() {
    std::vector<Item*> items;
    for (;;) {
      co_await box.collect(items);
      for (const Item* item : items) note(&trace, sim, std::to_string(item->number));
      items.clear();
      note(&trace, sim, "all");
    }
  }
  Task<> merge() {
    typename Box::Next next = box.next();
    for (;;) {
      const Item& item = co_await next;
      note(&trace, sim, std::to_string(item.number));
    }
  }

  Simulation& sim;
  std::string name = "box";
  Trace trace;
  int starts = 0;
  Box box;
  Task<> (Server::*run)();
};

}  // namespace

TEST_CASE("Service: it is started by the first item of a mailbox, once, and misses none") {
  const auto traced = [](bool later, int starts) {
    Simulation sim;
    Server<Mailbox<int>> server{sim, later, &Server<Mailbox<int>>::receive};
    CHECK(server.starts == 0);
    for (int i = 0; i < 3; ++i) server.box.post(5_ns, i);
    server.box.post(9_ns, 3);
    sim.run();
    CHECK(server.starts == starts);
    return server.trace;
  };
  const Trace waited = traced(false, 0);
  CHECK(waited == Trace{"0@5 ns", "1@5 ns", "2@5 ns", "3@9 ns"});
  CHECK(traced(true, 1) == waited);
}

TEST_CASE("Service: it collects all that comes to an inbox at the time of the first item") {
  const auto traced = [](bool later) {
    std::array<Item, 4> items{{{0}, {1}, {2}, {3}}};
    Simulation sim;
    Server<Inbox<Item>> server{sim, later, &Server<Inbox<Item>>::collect};
    CHECK(server.box.idle() == later);  // a server that waits from the start hasn't run yet
    for (std::size_t i = 0; i < 3; ++i) server.box.post(5_ns, items[i]);
    server.box.post(9_ns, items[3]);
    sim.run();
    return server.trace;
  };
  const Trace waited = traced(false);
  CHECK(waited == Trace{"0@5 ns", "1@5 ns", "2@5 ns", "all@5 ns", "3@9 ns", "all@9 ns"});
  CHECK(traced(true) == waited);
}

TEST_CASE("Service: it takes merged items, by input, as a process that has waited for them") {
  const auto traced = [](bool later) {
    std::array<Item, 4> items{{{0, 5_ns}, {1, 5_ns}, {2, 6_ns}, {3, 9_ns}}};
    Simulation sim;
    Server<Merge<Item>> server{sim, later, &Server<Merge<Item>>::merge, 3U};
    CHECK(!server.box.expects(1));
    server.box.push(2, items[1]);
    server.box.push(1, items[0]);
    server.box.push(1, items[3]);
    server.box.push(0, items[2]);
    sim.run();
    return server.trace;
  };
  const Trace waited = traced(false);
  CHECK(waited == Trace{"0@5 ns", "1@5 ns", "2@6 ns", "3@9 ns"});
  CHECK(traced(true) == waited);
}

TEST_CASE("Service: nothing comes, and nothing is started") {
  Simulation sim;
  Server<Mailbox<int>> never{sim, true, &Server<Mailbox<int>>::receive};
  sim.run();
  CHECK(never.starts == 0);
  CHECK(sim.events() == 0);
}

}  // namespace kbsim::test::service_test
