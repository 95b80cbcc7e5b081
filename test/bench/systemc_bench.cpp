// kbsim_bench_systemc method|thread W1-1k|W1-100k|W2|W3 ITEMS: the workloads as SC_METHODs or SC_THREADs.
// Prints one line of JSON. FIFOs are rings with an event that is notified at once, and only if a process
// waits: less work than sc_fifo.

#include <array>
#include <cstdio>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "figures.hpp"
#include "workloads.hpp"

namespace {

using namespace kbsim::bench;
using sc_core::sc_event;
using sc_core::sc_time;

sc_time ps(std::int64_t n) { return sc_time::from_value(static_cast<sc_dt::uint64>(n)); }

/// A module with a process of either kind: Derived::step() as a method, or Derived::live() as a thread.
template <class Derived>
class Process : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Derived);
  explicit Process(bool is_thread)
      : sc_core::sc_module{sc_core::sc_module_name{sc_core::sc_gen_unique_name("p")}} {
    if (is_thread) {
      SC_THREAD(live);
    } else {
      SC_METHOD(step);
    }
  }
};

std::uint64_t steps = 0;  // activations of processes

template <class T>
struct Fifo {
  std::deque<T> items{};
  std::size_t places = std::numeric_limits<std::size_t>::max();
  sc_event written{};
  sc_event read{};
  bool reader_waits = false;
  bool writer_waits = false;

  [[nodiscard]] bool full() const { return items.size() >= places; }
  void push(const T& item) {
    items.push_back(item);
    if (reader_waits) reader_waits = false, written.notify();
  }
  T pop() {
    T item = items.front();
    items.pop_front();
    if (writer_waits) writer_waits = false, read.notify();
    return item;
  }
  /// For threads; waits while the FIFO is full.
  void write(const T& item) {
    while (full()) writer_waits = true, sc_core::wait(read), ++steps;
    push(item);
  }
  T take() {
    while (items.empty()) reader_waits = true, sc_core::wait(written), ++steps;
    return pop();
  }
};

struct Wanderer : Process<Wanderer> {
  Wanderer(bool is_thread, std::uint64_t seed, std::int64_t wakes)
      : Process{is_thread}, random{seed}, left{wakes} {}
  void step() {
    ++steps;
    if (left-- > 0) next_trigger(ps(next_delay(random)));
  }
  void live() {
    for (; left > 0; --left, ++steps) wait(ps(next_delay(random)));
  }
  Random random;
  std::int64_t left;
};

using Channel = sc_core::sc_fifo<std::int64_t>;

struct Stage : Process<Stage> {
  Stage(bool is_thread, Channel& from, Channel& to) : Process{is_thread}, in{from}, out{to} {}
  void step() {
    ++steps;
    if (serving && !out.nb_write(item)) return next_trigger(out.data_read_event());
    serving = in.nb_read(item);
    if (!serving) return next_trigger(in.data_written_event());
    next_trigger(ps(kService));
  }
  void live() {
    for (;; ++steps) {
      item = in.read();
      wait(ps(kService));
      out.write(item);
    }
  }
  Channel& in;
  Channel& out;
  std::int64_t item = 0;
  bool serving = false;
};

struct Source : Process<Source> {
  Source(bool is_thread, Channel& to, std::int64_t items) : Process{is_thread}, out{to}, left{items} {}
  void step() {
    ++steps;
    while (left > 0 && out.nb_write(left)) --left;
    if (left > 0) next_trigger(out.data_read_event());
  }
  void live() {
    for (; left > 0; --left) out.write(left);
  }
  Channel& out;
  std::int64_t left;
};

struct Sink : Process<Sink> {
  Sink(bool is_thread, Channel& from) : Process{is_thread}, in{from} {}
  void step() {
    ++steps;
    for (std::int64_t item = 0; in.nb_read(item);) ++arrived;
    next_trigger(in.data_written_event());
  }
  void live() {
    for (;; ++arrived) in.read();
  }
  Channel& in;
  std::int64_t arrived = 0;
};

struct Link {
  bool held = false;
  std::deque<sc_event*> waiting{};
};
struct Node {
  std::array<Fifo<Packet>, kInputs> inputs{};
  std::array<Link, kDirections> links{};
};
std::array<Node, kNodes>& nodes() {
  static std::array<Node, kNodes> all;
  return all;
}
std::int64_t hops = 0;

struct Port : Process<Port> {
  Port(bool is_thread, int where, int which)
      : Process{is_thread}, node{where}, in{nodes()[index(where)].inputs[index(which)]} {}
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  Link& link() { return nodes()[index(node)].links[index(way)]; }
  void release() {
    Link& held = link();
    held.held = !held.waiting.empty();
    if (held.held) {
      held.waiting.front()->notify();
      held.waiting.pop_front();
    }
    ++hops;
    nodes()[index(neighbour(node, way))].inputs[index(way)].push(packet);
  }
  /// False if it has to wait for the link, which is then handed over.
  bool take() {
    if (!link().held) return link().held = true;
    link().waiting.push_back(&granted);
    return false;
  }
  /// Returns false if no packet goes on.
  bool next() {
    while (!in.items.empty()) {
      packet = in.pop();
      way = direction(node, packet.target);
      if (way != kHere) return true;
    }
    return false;
  }
  void step() {
    ++steps;
    if (state == State::crosses) {
      release();
      state = State::idle;
    }
    if (state == State::idle) {
      if (!next()) {
        in.reader_waits = true;
        return next_trigger(in.written);
      }
      state = State::waits;
      if (!take()) return next_trigger(granted);
    }
    state = State::crosses;
    next_trigger(ps(packet.service));
  }
  void live() {
    for (;;) {
      packet = in.take();
      way = direction(node, packet.target);
      if (way == kHere) continue;
      if (!take()) wait(granted), ++steps;
      wait(ps(packet.service)), ++steps;
      release();
    }
  }
  enum class State { idle, waits, crosses };
  int node;
  Fifo<Packet>& in;
  int way = kHere;
  Packet packet{};
  State state = State::idle;
  sc_event granted{};
};

struct Sender : Process<Sender> {
  Sender(bool is_thread, int where, std::int64_t packets)
      : Process{is_thread}, arrivals{where}, in{nodes()[Port::index(where)].inputs[kHere]}, left{packets} {}
  void step() {
    ++steps;
    if (started) in.push(arrivals.packet()), --left;
    started = true;
    if (left > 0) next_trigger(ps(arrivals.interval()));
  }
  void live() {
    for (; left > 0; --left) {
      wait(ps(arrivals.interval())), ++steps;
      in.push(arrivals.packet());
    }
  }
  Arrivals arrivals;
  Fifo<Packet>& in;
  std::int64_t left;
  bool started = false;
};

struct World {
  void run() { sc_core::sc_start(); }
  [[nodiscard]] static std::uint64_t events() { return steps; }
  [[nodiscard]] std::int64_t parts() const { return static_cast<std::int64_t>(modules.size()); }
  std::vector<std::unique_ptr<sc_core::sc_module>> modules;
};

struct Wanderers : World {
  Wanderers(bool is_thread, std::int64_t processes, std::int64_t wakes) : n{processes}, each{wakes / n} {
    for (std::int64_t i = 0; i < n; ++i)
      modules.push_back(std::make_unique<Wanderer>(is_thread, static_cast<std::uint64_t>(i), each));
  }
  [[nodiscard]] std::int64_t items() const { return n * each; }
  std::int64_t n;
  std::int64_t each;
};

struct Pipeline : World {
  Pipeline(bool is_thread, std::int64_t items) {
    for (std::size_t i = 0; i <= kStages; ++i) channels.push_back(std::make_unique<Channel>(kPlaces));
    modules.push_back(
        std::make_unique<Source>(is_thread, *channels.front(), items / static_cast<std::int64_t>(kStages)));
    for (std::size_t i = 0; i < kStages; ++i)
      modules.push_back(std::make_unique<Stage>(is_thread, *channels[i], *channels[i + 1]));
    auto last = std::make_unique<Sink>(is_thread, *channels.back());
    sink = last.get();
    modules.push_back(std::move(last));
  }
  [[nodiscard]] std::int64_t items() const { return sink->arrived * static_cast<std::int64_t>(kStages); }
  std::vector<std::unique_ptr<Channel>> channels;
  Sink* sink;
};

struct Mesh : World {
  Mesh(bool is_thread, std::int64_t hops_about) {
    for (int node = 0; node < kNodes; ++node) {
      for (int input = 0; input < kInputs; ++input)
        modules.push_back(std::make_unique<Port>(is_thread, node, input));
      modules.push_back(std::make_unique<Sender>(is_thread, node, packets_for(hops_about)));
    }
  }
  [[nodiscard]] static std::int64_t items() { return hops; }
};

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool is_thread = std::string{argv[1]} == "thread";
  const std::string workload = argv[2];
  const std::int64_t items = std::stoll(argv[3]);
  if (workload == "W1-1k") {
    print(measure<Wanderers>([=] { return std::make_unique<Wanderers>(is_thread, 1000, items); }));
  } else if (workload == "W1-100k" && !is_thread) {  // each thread has a stack
    print(measure<Wanderers>([=] { return std::make_unique<Wanderers>(is_thread, 100'000, items); }));
  } else if (workload == "W2") {
    print(measure<Pipeline>([=] { return std::make_unique<Pipeline>(is_thread, items); }));
  } else if (workload == "W3") {
    print(measure<Mesh>([=] { return std::make_unique<Mesh>(is_thread, items); }));
  } else {
    return 2;
  }
  return 0;
}
