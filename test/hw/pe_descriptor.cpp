#include <doctest/doctest.h>

#include "kbsim/hw/memory/memory.hpp"

#include "harness.hpp"
#include "idle.hpp"

namespace kbsim::hw::test::pe_descriptor_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};
constexpr Time kBefore = 4_ns + 1_ns;  // dispatch and MMU

struct BlockArgs {
  Shape shape;
  Shape block;
  Shape offsets;
  Time* took;
  Shape strides = {};
};

Task<> load_block(TL& tl, BlockArgs args) {
  const Descriptor desc = tl.make_desc(
      {.base = kHere, .shape = args.shape, .strides = args.strides, .block = args.block, .pad = Pad::nan});
  const Time start = tl.clock();
  const Tile tile = co_await desc.load(args.offsets);
  CHECK(tile.shape() == args.block);
  *args.took = tl.clock() - start;
}

Task<> store_block(TL& tl, BlockArgs args) {
  const Descriptor desc = tl.make_desc({.base = kHere, .shape = args.shape, .block = args.block});
  const Tile tile = tl.zeros(args.block, f16);
  co_await desc.store(args.offsets, tile);
  const Time start = tl.clock();
  co_await desc.store(args.offsets, tile);
  *args.took = tl.clock() - start;
}

Time time_of(Rig& rig, Task<> (*kernel)(TL&, BlockArgs), Shape shape, Shape block, Shape offsets,
             Shape strides = {}) {
  Time took{};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe),
                         bind_kernel("kernel", kernel, BlockArgs{shape, block, offsets, &took, strides})));
  return took;
}

const oplog::Op& last_op(const Rig& rig) { return rig.log.ops(rig.machine->lane(kPe)).back(); }

}  // namespace

TEST_CASE("Descriptor: a block whose rows adjoin takes the time of one load of its bytes") {
  Rig rig{small_machine()};
  const Time took = time_of(rig, load_block, {64, 128}, {16, 128}, {8, 0});
  const Expected expected =
      crossing(way(rig.graph, rig.pe(kPe).dma, rig.hbm(kPe)), control(rig.graph)) +
      crossing(way_between_memories(rig.graph, rig.hbm(kPe), rig.pe(kPe).tcm), cut(rig.graph, 4_KiB, 4_KiB)) +
      kBefore;
  CAPTURE(text(expected));
  CHECK_MESSAGE(meets(took, expected), to_string(took));
}

TEST_CASE("Descriptor: rows that don't adjoin are requests of their own and take what their packets take") {
  Rig rig{small_machine()};
  // 16 rows of 128 bytes: the link of the requests and the memory are faster than the data's way together.
  const Time took = time_of(rig, load_block, {64, 128}, {16, 64}, {8, 0});
  Packets rows(16, 128_B);
  const Expected expected = crossing(way(rig.graph, rig.pe(kPe).dma, rig.hbm(kPe)), control(rig.graph)) +
                            crossing(way_between_memories(rig.graph, rig.hbm(kPe), rig.pe(kPe).tcm), rows) +
                            kBefore;
  CAPTURE(text(expected));
  CHECK_MESSAGE(meets(took, expected), to_string(took));
}

TEST_CASE("Descriptor: elements a stride apart are requests of their own and take what these take") {
  Rig rig{small_machine()};
  const Time took = time_of(rig, load_block, {64}, {16}, {8}, {128});
  // Two bytes leave faster than the requests, control packets, come.
  const Packets requests(16, control(rig.graph).front());
  const Expected expected =
      crossing(way(rig.graph, rig.pe(kPe).dma, rig.hbm(kPe)), requests) +
      crossing(way_between_memories(rig.graph, rig.hbm(kPe), rig.pe(kPe).tcm), Packets(1, 2_B)) + kBefore;
  CAPTURE(text(expected));
  CHECK_MESSAGE(meets(took, expected), to_string(took));
}

TEST_CASE("Descriptor: a ragged block moves only its bytes inside") {
  Rig rig{small_machine()};
  const Time took = time_of(rig, load_block, {20, 128}, {16, 128}, {12, 0});
  const Expected expected =
      crossing(way(rig.graph, rig.pe(kPe).dma, rig.hbm(kPe)), control(rig.graph)) +
      crossing(way_between_memories(rig.graph, rig.hbm(kPe), rig.pe(kPe).tcm), cut(rig.graph, 2_KiB, 4_KiB)) +
      kBefore;
  CAPTURE(text(expected));
  CHECK_MESSAGE(meets(took, expected), to_string(took));
}

TEST_CASE("Descriptor: rows of a store are writes of their own") {
  Rig rig{small_machine()};
  const Time took = time_of(rig, store_block, {64, 128}, {16, 64}, {8, 0});
  Packets rows(16, 128_B);
  const Expected expected = crossing(way_between_memories(rig.graph, rig.pe(kPe).tcm, rig.hbm(kPe)), rows) +
                            crossing(way(rig.graph, rig.hbm(kPe), rig.pe(kPe).dma), control(rig.graph)) +
                            kBefore;
  CAPTURE(text(expected));
  CHECK_MESSAGE(meets(took, expected), to_string(took));
}

TEST_CASE("Descriptor: a block wholly outside takes dispatch and MMU, and is all padding") {
  Rig rig{small_machine()};
  CHECK(time_of(rig, load_block, {20, 128}, {16, 128}, {20, 0}) == kBefore);
  const oplog::Op& copy = last_op(rig);
  const oplog::Slices& slices = copy.inputs.front().slices;
  REQUIRE(slices.size() == 1);
  CHECK(slices[0].bytes == 4096);
  CHECK(rig.log.find(slices[0].value)->kind == oplog::OpKind::fill);
  Rig other{small_machine()};
  CHECK(time_of(other, store_block, {20, 128}, {16, 128}, {20, 0}) == kBefore);
}

TEST_CASE("Descriptor: what is recorded has memory's values where it lies inside, padding where not") {
  Rig rig{small_machine()};
  oplog::MemoryImage& memory = rig.machine->at<hw::Memory>(rig.hbm(kPe)).image();
  const std::uint32_t host = rig.log.add_lane("host");
  const oplog::ValueId value = rig.log.reserve(host);
  memory.write(0, {value, 0, 5 * 3 * 2});  // 5 x 3 elements
  (void)time_of(rig, load_block, {5, 3}, {2, 2}, {4, 1});
  const oplog::Op& copy = last_op(rig);
  const oplog::Slices& slices = copy.inputs.front().slices;
  REQUIRE(slices.size() == 2);  // row 4, columns 1 and 2; then a row of padding
  CHECK(slices[0] == oplog::Slice{value, (4 * 3 + 1) * 2, 4});
  CHECK(slices[1].offset == 4);
  CHECK(slices[1].bytes == 4);
  CHECK(slices[1].value.valid());
}

TEST_CASE("Descriptor: a store leaves what is outside its block alone") {
  Rig rig{small_machine()};
  oplog::MemoryImage& memory = rig.machine->at<hw::Memory>(rig.hbm(kPe)).image();
  const std::uint32_t host = rig.log.add_lane("host");
  const oplog::ValueId value = rig.log.reserve(host);
  memory.write(0, {value, 0, 4 * 4 * 2});
  (void)time_of(rig, store_block, {4, 4}, {2, 3}, {3, 2});  // row 3, columns 2 and 3 inside
  const oplog::ValueId stored = last_op(rig).id;
  const oplog::Slices row = memory.read(0, 4 * 4 * 2);
  REQUIRE(row.size() == 2);
  CHECK(row[0] == oplog::Slice{value, 0, 14 * 2});
  CHECK(row[1] == oplog::Slice{stored, 0, 4});
}

}  // namespace kbsim::hw::test::pe_descriptor_test
