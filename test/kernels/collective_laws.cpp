// Collectives against theory: bytes on the wire, and the alpha-beta model of rings.
#include <cmath>
#include <tuple>

#include <doctest/doctest.h>

#include "kbsim/ccl/wiring.hpp"
#include "kbsim/topology/graph.hpp"

#include "../host/program.hpp"
#include "collectives.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

// A machine on which nothing but the links between packages holds a ring up.
config::MachineSpec wide_machine(int sips, config::SipTopology joined = config::SipTopology::ring_1d) {
  config::MachineSpec machine = machine_of(sips);
  const Bandwidth wide = Bandwidth::gbs(2048.0);
  machine.system.sips.topology = joined;
  machine.pe.link = wide;
  machine.cube.noc.link = wide;
  machine.cube.xbar_to_hbm = wide;
  machine.pe.pe_math.attrs["lanes"] = std::int64_t{4096};
  machine.pe.pe_tcm.attrs["read_bw_gbs"] = 4096.0;
  machine.pe.pe_tcm.attrs["write_bw_gbs"] = 4096.0;
  return machine;
}

// With slots enough for all tiles under way.
Collective collective_of(const char* algorithm, const config::MachineSpec& machine, Bytes size) {
  Collective c{.machine = machine, .algorithm = algorithm_of(algorithm)};
  c.algorithm.n_slots = 512;
  c.n_elem = size.count() / itemsize(c.dtype);
  return c;
}

double kernel_ns(const Collective& c) { return to_ns(measured(c).kernel); }

// A step takes alpha and a chunk's time on the link. `once` is loading the first chunk and storing the last.
struct AlphaBeta {
  double once = 0.0;
  double alpha = 0.0;
  double ns_per_byte = 0.0;

  [[nodiscard]] double ns(int n, Bytes size) const {
    return once + 2.0 * (n - 1) * (alpha + static_cast<double>(size.count()) / n * ns_per_byte);
  }
};

double ring_ns(int n, Bytes size) {
  config::MachineSpec machine = wide_machine(n);
  if (size > 1_MiB) machine.system.packet_bytes = 4_KiB;  // a test below shows that this hardly matters
  return kernel_ns(collective_of("chunked_ring_allreduce", machine, size));
}

// Fits all three from rings of 2 and 3: the time of two more steps, and of half a MiB more.
AlphaBeta probed() {
  const double two = ring_ns(2, 512_B);
  const double step = (ring_ns(3, 768_B) - two) / 2;
  const double ns_per_byte = (ring_ns(2, 1_MiB) - ring_ns(2, 512_KiB)) / (512.0 * 1024);
  return {.once = two - 2 * step, .alpha = step - 256 * ns_per_byte, .ns_per_byte = ns_per_byte};
}

// Checks the bytes on each rank's link to the next rank, and on the link back.
void check_bytes(const char* algorithm, std::int64_t n,
                 const std::function<std::int64_t(int rank)>& elements) {
  CAPTURE(algorithm);
  Collective c = collective_of(algorithm, machine_of(5), 2_B * n);
  c.algorithm.slot_size = 256_B;
  c.root = 2;
  const Measured m = measured(c);
  for (int rank = 0; rank < 5; ++rank) {
    CAPTURE(rank);
    CHECK(m.sent_on.at({rank, (rank + 1) % 5}) == Bytes{2 * elements(rank)});
  }
}

// Traffic from one rank to another.
struct Sent {
  std::int64_t elements = 0;
  int messages = 0;
};
using SentOn = std::map<std::pair<int, int>, Sent>;

// Checks all bytes on the links between packages, with one message per chunk of f16 and a credit of one byte
// back for each message.
void check_all_bytes(const char* algorithm, const config::MachineSpec& machine, std::int64_t n,
                     const SentOn& sent) {
  CAPTURE(algorithm);
  Collective c = collective_of(algorithm, machine, 2_B * n);
  c.algorithm.ipcq_credit_size = 1_B;
  c.algorithm.slot_size = 4_KiB;
  const auto on = [&](int from, int to) {
    const auto found = sent.find({from, to});
    return found == sent.end() ? Sent{} : found->second;
  };
  for (const auto& [link, bytes] : measured(c).sent_on) {
    const auto [from, to] = link;
    CAPTURE(from);
    CAPTURE(to);
    CHECK(bytes.count() == 2 * on(from, to).elements + on(to, from).messages);
  }
}

// Three by three packages; each sends `sent` to the package on its right and to the one below.
SentOn on_torus(Sent sent) {
  SentOn all;
  for (int rank = 0; rank < 9; ++rank) {
    all[{rank, rank / 3 * 3 + (rank + 1) % 3}] = sent;
    all[{rank, (rank + 3) % 9}] = sent;
  }
  return all;
}

}  // namespace

TEST_CASE("Collectives: the links carry just the bytes of each algorithm's formula") {
  constexpr std::int64_t kN = 1000;  // five ranks: parts of 200
  const auto all = [](std::int64_t elements) { return [elements](int) { return elements; }; };
  check_bytes("ring_allreduce_tcm", kN, all(4 * kN));
  check_bytes("chunked_ring_allreduce", kN, all(2 * 4 * kN / 5));
  check_bytes("pipelined_ring_allreduce", kN, all(2 * 4 * kN / 5));
  check_bytes("ring_all_gather", kN, all(4 * kN));
  check_bytes("ring_reduce_scatter", kN, all(4 * kN / 5));
  check_bytes("ring_all_to_all", kN, all((4 + 3 + 2 + 1) * kN / 5));
  check_bytes("ring_broadcast", kN, [](int rank) { return rank == 1 ? 0 : kN; });  // from 2 on to 1
  check_bytes("ring_reduce", kN, [](int rank) { return rank == 2 ? 0 : kN; });     // from 3 on to 2
  check_bytes("hello_send", kN, all(kN));
  check_bytes("hierarchical_allreduce", kN, all(4 * kN));
  check_bytes("intercube_allreduce", kN, all(4 * kN));
}

TEST_CASE("Collectives: so they do where messages go both ways, in trees and on grids") {
  constexpr std::int64_t kN = 1800;
  SentOn both_ways;
  for (int rank = 0; rank < 5; ++rank) {
    both_ways[{rank, (rank + 1) % 5}] = {.elements = 2 * 4 * kN / 5 / 2, .messages = 8};
    both_ways[{(rank + 1) % 5, rank}] = {.elements = 2 * 4 * kN / 5 / 2, .messages = 8};
  }
  check_all_bytes("bidirectional_ring_allreduce", machine_of(5), kN, both_ways);

  const Sent once{.elements = kN, .messages = 1};
  check_all_bytes("tree_allreduce", machine_of(3), kN,
                  {{{1, 0}, once}, {{2, 0}, once}, {{0, 1}, once}, {{0, 2}, once}});

  config::MachineSpec grid = machine_of(9);
  grid.system.sips.topology = config::SipTopology::torus_2d;
  const Sent twice{.elements = 2 * kN, .messages = 2};
  check_all_bytes("mesh_allreduce", grid, kN, on_torus(twice));
  check_all_bytes("intercube_allreduce", grid, kN, on_torus(twice));
  // 2 (N - 1) / N of the vector, half of it in each direction: its parts cross rows first, or columns first.
  check_all_bytes("torus_allreduce", grid, kN, on_torus({.elements = 8 * kN / 9, .messages = 12 + 4}));

  grid.system.sips.topology = config::SipTopology::mesh_2d_no_wrap;
  SentOn chains;
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}, {3, 4}, {4, 5}, {6, 7}, {7, 8}, {2, 5}, {5, 8}}) {
    chains[{from, to}] = once;
    chains[{to, from}] = once;
  }
  check_all_bytes("intercube_allreduce", grid, kN, chains);
}

TEST_CASE("Collectives: on grids of packages a ring is a closed walk over links, and each carries the same") {
  for (const auto& [w, h, joined] : {std::tuple{2, 2, config::SipTopology::torus_2d},
                                     {3, 3, config::SipTopology::torus_2d},
                                     {3, 2, config::SipTopology::torus_2d},
                                     {2, 2, config::SipTopology::mesh_2d_no_wrap},
                                     {3, 2, config::SipTopology::mesh_2d_no_wrap},
                                     {2, 3, config::SipTopology::mesh_2d_no_wrap}}) {
    config::MachineSpec grid = machine_of(w * h);
    grid.system.sips.topology = joined;
    grid.system.sips.w = w;
    grid.system.sips.h = h;
    CAPTURE(joined);
    const int n = w * h;
    const std::int64_t elements = 180;
    const auto ring = ccl::ring_of_ranks(grid);
    const auto along = [&](Sent sent) {
      SentOn all;
      for (std::size_t i = 0; i < ring.size(); ++i) all[{ring[i], ring[(i + 1) % ring.size()]}] = sent;
      return all;
    };
    const Sent twice{.elements = 2 * (n - 1) * elements / n, .messages = 2 * (n - 1)};
    check_all_bytes("chunked_ring_allreduce", grid, elements, along(twice));
    check_all_bytes("pipelined_ring_allreduce", grid, elements, along(twice));
    const Sent once{.elements = (n - 1) * elements, .messages = n - 1};
    check_all_bytes("ring_allreduce_tcm", grid, elements, along(once));
    check_all_bytes("hierarchical_allreduce", grid, elements, along(once));
    check_all_bytes("ring_all_gather", grid, elements, along(once));
    check_all_bytes("ring_reduce_scatter", grid, elements,
                    along({.elements = (n - 1) * elements / n, .messages = n - 1}));
    const int parts = n * (n - 1) / 2;
    check_all_bytes("ring_all_to_all", grid, elements,
                    along({.elements = parts * elements / n, .messages = parts}));
  }
}

TEST_CASE("Chunked ring: 2 (N - 1) (alpha + S / (N B)) within 1 %, probed with rings of 2 and 3") {
  const AlphaBeta law = probed();
  CHECK(law.ns_per_byte == doctest::Approx(1 / 128.0).epsilon(0.0001));
#ifdef NDEBUG
  const std::vector rings{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const std::vector sizes{1_KiB, 4_KiB, 16_KiB, 64_KiB, 256_KiB};
  CHECK(ring_ns(4, 16_MiB) == doctest::Approx(law.ns(4, 16_MiB)).epsilon(0.01));
#else
  const std::vector rings{4, 15};
  const std::vector sizes{1_KiB, 64_KiB};
#endif
  for (const int n : rings) {
    for (const Bytes size : sizes) {
      CAPTURE(n);
      CAPTURE(size.count());
      const double took = ring_ns(n, size);
      CHECK(took == doctest::Approx(law.ns(n, size)).epsilon(0.01));
      CHECK(took >
            2.0 * (n - 1) / n * static_cast<double>(size.count()) / 128.0);  // what the links must carry
    }
  }
}

// By hand: each size and each ring, minutes.
TEST_CASE("Benchmark: chunked ring against the alpha-beta law, 1 KiB to 16 MiB" * doctest::skip()) {
  const AlphaBeta law = probed();
  MESSAGE("once ", law.once, " ns, alpha ", law.alpha, " ns, ", 1 / law.ns_per_byte, " GB/s");
  for (int n = 4; n <= 16; ++n) {
    for (Bytes size = 1_KiB; size <= 16_MiB; size = size * 4) {
      const double took = ring_ns(n, size);
      const double off = took / law.ns(n, size) - 1;
      MESSAGE("N ", n, ", ", to_string(size), ": ", took, " ns, ", 100 * off, " % off");
      CHECK(std::abs(off) < 0.01);
    }
  }
}

TEST_CASE("Rings: message by message is faster than step by step, and both ways take half") {
  const auto took = [](const char* algorithm) {
    return kernel_ns(collective_of(algorithm, wide_machine(4), 512_KiB));
  };
  const double one_way = 2.0 * 3 / 4 * 512 * 1024 / 128.0;
  CHECK(took("pipelined_ring_allreduce") < took("chunked_ring_allreduce"));
  CHECK(took("pipelined_ring_allreduce") > one_way);
  CHECK(took("bidirectional_ring_allreduce") > 0.5 * one_way);
  CHECK(took("bidirectional_ring_allreduce") < 0.55 * took("pipelined_ring_allreduce"));
}

TEST_CASE("Rings: a 4x4 torus is faster than a ring of 16: fewer steps, and four links instead of two") {
  for (const Bytes size : {1_KiB, 256_KiB}) {
    CAPTURE(size.count());
    const double torus =
        kernel_ns(collective_of("torus_allreduce", wide_machine(16, config::SipTopology::torus_2d), size));
    CHECK(torus < 0.6 * kernel_ns(collective_of("chunked_ring_allreduce", wide_machine(16), size)));
  }
}

TEST_CASE("Rings: the size of packets hardly matters") {
  const auto took = [](Bytes packet) {
    config::MachineSpec machine = wide_machine(4);
    machine.system.packet_bytes = packet;
    return kernel_ns(collective_of("chunked_ring_allreduce", machine, 256_KiB));
  };
  const double standard = took(256_B);
  CHECK(took(64_B) == doctest::Approx(standard).epsilon(0.02));
  CHECK(took(1024_B) == doctest::Approx(standard).epsilon(0.02));
}
