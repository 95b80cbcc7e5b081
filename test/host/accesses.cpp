// Records of the host's writes and reads of memory.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/hw/control/i_host.hpp"

#include "program.hpp"

namespace kbsim::host::test::accesses_test {
namespace {

Task<> moves_contents(Rank& main, bool sram) {
  const HostArray contents = generate({4, 32}, f16, [](std::int64_t i) { return static_cast<double>(i); });
  TensorOptions options{.dp = kRows};
  if (sram) options.mem_kind = topology::Region::sram;
  const Tensor x = co_await main.torch.from_host(contents, options);
  co_await x.copy_(contents);
  const HostArray got = co_await x.to_host();
  CHECK(got.to_doubles() == contents.to_doubles());
}

std::vector<hw::OrderRecord> accesses_of(Program& program) {
  std::vector<hw::OrderRecord> all = hw::host_of(program.session.machine()).orders();
  std::erase_if(all, [](const hw::OrderRecord& one) { return one.phase < hw::OrderPhase::memory_write; });
  return all;
}

}  // namespace

TEST_CASE(
    "Host accesses: an upload, a copy_ and a to_host are a record each, for all memories of a package") {
  Program program;
  program.run(moves_contents, false);
  const std::vector<hw::OrderRecord> all = accesses_of(program);
  REQUIRE(all.size() == 3);
  for (const hw::OrderRecord& one : all) {
    CHECK(one.cubes == 4);
    CHECK(one.pes == 4);
    CHECK(one.first_pe == 0);
    CHECK(one.last_pe == 0);
    CHECK(one.rank == 0);
    CHECK(one.sip == 0);
    CHECK(one.total() > Time{});
    CHECK(one.kernel() == Time{});
  }
  CHECK(all[0].phase == hw::OrderPhase::memory_write);
  CHECK(all[1].phase == hw::OrderPhase::memory_write);
  CHECK(all[2].phase == hw::OrderPhase::memory_read);
  CHECK(all[0].reported <= all[1].sent);
  CHECK(all[1].reported <= all[2].sent);
}

TEST_CASE("Host accesses: the memory of a cube belongs to no PE") {
  Program program;
  program.run(moves_contents, true);
  for (const hw::OrderRecord& one : accesses_of(program)) {
    CHECK(one.cubes == 4);
    CHECK(one.pes == 4);
    CHECK(one.first_pe == -1);
    CHECK(one.last_pe == -1);
  }
}

}  // namespace kbsim::host::test::accesses_test
