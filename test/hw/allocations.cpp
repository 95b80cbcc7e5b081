// Commands of a kernel's loop allocate nothing from issue to completion, once the loop is warm. Also the
// bytes of a machine before its first event.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <doctest/doctest.h>

#include "harness.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KBSIM_COUNTS_NOTHING
#endif
#endif

#ifndef KBSIM_COUNTS_NOTHING

namespace {

std::atomic<std::uint64_t> news{0};
std::atomic<std::uint64_t> held{0};  // bytes, of blocks of malloc's

// Bytes before each block for its size: not every delete is given the size.
constexpr std::size_t kFront = 16;

std::uint64_t block(std::size_t size) { return (size + 8 + 15) / 16 * 16; }

}  // namespace

void* operator new(std::size_t size) {
  news.fetch_add(1, std::memory_order_relaxed);
  auto* const memory = static_cast<std::byte*>(std::malloc(kFront + size));
  if (memory == nullptr) throw std::bad_alloc{};
  held.fetch_add(block(size), std::memory_order_relaxed);
  std::memcpy(memory, &size, sizeof size);
  return memory + kFront;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  std::byte* const front = static_cast<std::byte*>(memory) - kFront;
  std::size_t size = 0;
  std::memcpy(&size, front, sizeof size);
  held.fetch_sub(block(size), std::memory_order_relaxed);
  std::free(front);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace kbsim::hw::test::allocations_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr PeCoord kPeer{0, 1, 0};
constexpr Shape kShape{64, 32};
constexpr Ptr kHere{.va = kVa, .dtype = f16};

struct LoopArgs {
  std::uint64_t* counted;
};

constexpr int kTimes = 400;

/// Counts in the third quarter of a loop.
class Count {
 public:
  explicit Count(const LoopArgs& args) : counted_{args.counted} {}
  void at(int i) {
    if (i == kTimes / 2) before_ = news;
    if (i == kTimes * 3 / 4) *counted_ += news - before_;  // no kernel has ended by then
  }

 private:
  std::uint64_t* counted_;
  std::uint64_t before_ = 0;
};

Task<> loads_and_stores(TL& tl, LoopArgs args) {
  Count count{args};
  for (int i = 0; i < kTimes; ++i) {
    auto loading = tl.load(kHere, kShape, f16);
    const Tile tile = co_await loading;
    co_await tl.store(kHere + kShape.elements(), tile);
    count.at(i);
  }
}

Task<> strided_loads(TL& tl, LoopArgs args) {
  Count count{args};
  for (int i = 0; i < kTimes; ++i) {
    const auto block = tl.make_desc({.base = kHere, .shape = {64, 64}, .block = {32, 16}});
    auto loading = block.load({i % 2 * 32, 16});
    const Tile tile = co_await loading;
    count.at(i);
  }
}

Task<> arithmetic(TL& tl, LoopArgs args) {
  Count count{args};
  Tile x = tl.zeros(kShape, f16);
  for (int i = 0; i < kTimes; ++i) {
    x = tl.exp(x * 0.5 + x) - tl.sum(x, {.axis = 1, .keep_dims = true});
    co_await tl.sync();
    count.at(i);
  }
}

Task<> products(TL& tl, LoopArgs args) {
  Count count{args};
  const Tile a = tl.zeros({32, 64}, f16);
  const Tile b = tl.zeros({64, 32}, f16);
  for (int i = 0; i < kTimes; ++i) {
    const Tile c = tl.dot(a, b);
    co_await tl.sync();
    count.at(i);
  }
}

// A composite allocates one record, whatever its length; its tiles allocate nothing.
Task<> composites(TL& tl, LoopArgs args) {
  std::array<std::uint64_t, 8> taken{};
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const std::int64_t k = i % 2 == 0 ? 4096 : 2048;
    const Ref a = tl.ref(kHere, {32, k}, f16);
    const Ref b = tl.ref(kHere + 32 * k, {k, 64}, f16);
    const Ref out = tl.ref(kHere + 96 * k, {32, 64}, f16);
    const std::uint64_t before = news;
    co_await tl.composite({.op = Op::gemm, .a = a, .b = b, .out = out});
    taken[i] = news - before;
  }
  CHECK(taken[7] > 0);
  *args.counted = taken[6] - taken[7];
}

// A step of a ring: the received tile is added to the PE's own and is sent on.
Task<> passes_on(TL& tl, LoopArgs args) {
  Count count{args};
  for (int i = 0; i < kTimes; ++i) {
    auto loading = tl.load(kHere, kShape, f16);
    const Tile own = co_await loading;
    co_await tl.send({.dir = {"to"}, .src = own});
    count.at(i);
  }
}

Task<> adds_up(TL& tl, LoopArgs args) {
  Count count{args};
  for (int i = 0; i < kTimes; ++i) {
    auto coming = tl.recv({.dir = {"from"}, .shape = kShape, .dtype = f16});
    auto loading = tl.load(kHere, kShape, f16);
    const Tile own = co_await loading;
    const Tile theirs = co_await coming;
    co_await tl.store(kHere + kShape.elements(), own + theirs);
    count.at(i);
  }
}

using Kernel = Task<> (*)(TL&, LoopArgs);

std::uint64_t counted(Kernel kernel) {
  std::uint64_t found = 0;
  Rig rig{small_machine(), {}, oplog::Keep::times};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe), bind_kernel("loop", kernel, LoopArgs{&found})));
  return found;
}

Task<> one_to_the_other(Rig* rig, LoopArgs args, Bytes slot, topology::Region memory) {
  co_await rig->connect(kPe, kPeer, {.slots = 4, .slot_size = slot, .memory = memory});
  for (const PeCoord pe : {kPe, kPeer}) co_await rig->map(pe, kVa, in_hbm(*rig->spec, pe), 64_KiB);
  const auto sends = std::make_shared<const KernelCall>(bind_kernel("passes_on", passes_on, args));
  const auto adds = std::make_shared<const KernelCall>(bind_kernel("adds_up", adds_up, args));
  co_await rig->order(
      {{.pe = kPe, .action = Launch{sends}, .size = {}}, {.pe = kPeer, .action = Launch{adds}, .size = {}}});
}

// Bytes of a machine before its first event.
std::int64_t bytes_of(int packages) {
  config::MachineSpec spec = small_machine();
  spec.system.sips.count = packages;
  spec.sip.cube_mesh = {.w = 2, .h = 2};
  const std::uint64_t before = held;
  const Rig rig{std::move(spec)};
  return static_cast<std::int64_t>(held - before);
}

}  // namespace

TEST_CASE("A PE that does nothing takes little memory: no process, no frame, no queue of what might come") {
  constexpr int kPackages = 16;
  constexpr int kPes = 4 * 2;  // of a package: a cube has two, and the routers of four
  const std::int64_t each = (bytes_of(2 * kPackages) - bytes_of(kPackages)) / (kPackages * kPes);
  MESSAGE("bytes a PE: ", each);
  CHECK(each > 4 * 1024);  // else it is another machine than meant
  CHECK(each < 24 * 1024);
}

TEST_CASE("Commands: loads, stores, arithmetic, products and composites allocate nothing in steady state") {
  CHECK(counted(loads_and_stores) == 0);
  CHECK(counted(strided_loads) == 0);
  CHECK(counted(arithmetic) == 0);
  CHECK(counted(products) == 0);
  CHECK(counted(composites) == 0);
}

TEST_CASE("Commands: sends and receives allocate nothing in steady state, wherever their slots are") {
  for (const topology::Region memory : {topology::Region::ipcq, topology::Region::sram}) {
    std::uint64_t found = 0;
    Rig rig{small_machine(), {}, oplog::Keep::times};
    rig.run(one_to_the_other(&rig, {&found}, kShape.bytes(f16), memory));
    CHECK(found == 0);
  }
}

}  // namespace kbsim::hw::test::allocations_test

#endif
