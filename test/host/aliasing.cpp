// Tensors of one collective that lie in one memory: the in-place forms, and all others.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/host/dtensor/dtensor.hpp"
#include "kbsim/host/dtensor/dtensor_operators.hpp"
#include "kbsim/host/host_program.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {
namespace aliasing_test {

using Numbers = std::vector<double>;
using Body = Task<> (*)(Rank&, Tensor, Numbers*);

struct Case {
  Body body;
  std::vector<Numbers>* seen;
};

config::CclSpec algorithms() {
  return config::parse_ccl(R"(
defaults: {algorithm: ag}
algorithms:
  ag: {kernel: ring_all_gather, collective: all_gather, topology: ring_1d}
  rs: {kernel: ring_reduce_scatter, collective: reduce_scatter, topology: ring_1d}
  a2a: {kernel: ring_all_to_all, collective: all_to_all, topology: ring_1d}
)",
                           "ccl.yaml");
}

Task<> of_rank(Rank& rk, Case one) {
  const HostArray numbers =
      generate({9}, f32, [r = rk.index](std::int64_t i) { return static_cast<double>(100 * r + i); });
  const Tensor big = co_await rk.torch.from_host(numbers, {.dp = kOnePe, .name = "big"});
  Numbers* const seen = &(*one.seen)[static_cast<std::size_t>(rk.index)];
  co_await one.body(rk, big, seen);
  const HostArray read = co_await big.to_host();
  *seen = read.to_doubles();
}

Case g_case;

Task<> program(Rank& main) {
  co_await main.dist.init_process_group({.algorithms = {"ag", "rs", "a2a"}});
  co_await main.mp.spawn(of_rank, g_case, {.nprocs = 2});
}

/// The text of the run's error, or "".
std::string run(Body body, std::vector<Numbers>& seen) {
  seen.assign(2, {});
  g_case = {.body = body, .seen = &seen};
  HostProgram all{machine(2, 1, 1), algorithms()};
  try {
    all.run(program);
    return "";
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::usage);
    return error.what();
  }
}

void expect(Body body, const Numbers& first, const Numbers& second) {
  std::vector<Numbers> seen;
  CHECK(run(body, seen) == "");
  CHECK(seen[0] == first);
  CHECK(seen[1] == second);
}

void expect_refused(Body body, const std::vector<std::string>& words) {
  std::vector<Numbers> seen;
  const std::string text = run(body, seen);
  CAPTURE(text);
  CHECK(text.find("aliasing.cpp:") != std::string::npos);
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(text.find(word) != std::string::npos);
  }
}

Tensor own(const Rank& rk, const Tensor& big) {
  return big.slice(0, {std::int64_t{rk.index} * 3, std::int64_t{rk.index} * 3 + 3});
}
std::vector<Tensor> halves(const Tensor& big) { return {big.slice(0, {0, 3}), big.slice(0, {3, 6})}; }

Task<> gathers_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_gather_into_tensor(big.slice(0, {0, 6}), own(rk, big));
}
Task<> gathers_of_shapes(Rank& rk, Tensor big, Numbers* /*seen*/) {
  const Tensor out = big.slice(0, {0, 6}).view({2, 3});
  co_await rk.dist.all_gather_into_tensor(out, out[rk.index]);
}
Task<> gathers_beside(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_gather_into_tensor(big.slice(0, {0, 6}), big.slice(0, {6, 9}));
}
Task<> scatters_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.reduce_scatter_tensor(own(rk, big), big.slice(0, {0, 6}));
}
Task<> list_gathers_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_gather(halves(big), own(rk, big));
}
Task<> list_scatters_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.reduce_scatter(own(rk, big), halves(big));
}
Task<> root_gathers_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  const std::vector<Tensor> list = rk.index == 1 ? halves(big) : std::vector<Tensor>{};
  co_await rk.dist.gather(own(rk, big), list, 1);
}
Task<> root_scatters_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  const std::vector<Tensor> list = rk.index == 0 ? halves(big) : std::vector<Tensor>{};
  co_await rk.dist.scatter(own(rk, big), list, 0);
}

Task<> gathers_shifted(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_gather_into_tensor(big.slice(0, {0, 6}), big.slice(0, {4, 7}));
}
Task<> gathers_anothers_share(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_gather_into_tensor(big.slice(0, {0, 6}), big.slice(0, {0, 3}));
}
Task<> scatters_shifted(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.reduce_scatter_tensor(big.slice(0, {2, 5}), big.slice(0, {0, 6}));
}
Task<> exchanges_one_element(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_to_all_single(big.slice(0, {0, 4}), big.slice(0, {3, 7}));
}
Task<> exchanges_in_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_to_all_single(big.slice(0, {0, 4}), big.slice(0, {0, 4}));
}
Task<> outputs_overlap(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.all_gather({big.slice(0, {0, 3}), big.slice(0, {2, 5})}, big.slice(0, {6, 9}));
}
Task<> list_input_in_anothers_place(Rank& rk, Tensor big, Numbers* /*seen*/) {
  co_await rk.dist.reduce_scatter(halves(big)[static_cast<std::size_t>(1 - rk.index)], halves(big));
}
Task<> batch_overlaps(Rank& rk, Tensor big, Numbers* /*seen*/) {
  const int other = 1 - rk.index;
  co_await rk.dist.batch_isend_irecv(
      {{.kind = P2POp::Kind::isend, .tensor = big.slice(0, {0, 4}), .peer = other},
       {.kind = P2POp::Kind::irecv, .tensor = big.slice(0, {3, 7}), .peer = other}});
}
// Rank 0's tensors lie apart, and rank 1's program catches the error.
Task<> one_rank_overlaps(Rank& rk, Tensor big, Numbers* /*seen*/) {
  const std::int64_t first = rk.index == 0 ? 6 : 4;
  try {
    auto work = rk.dist.all_gather_into_tensor(big.slice(0, {0, 6}), big.slice(0, {first, first + 3}));
    co_await work;
  } catch (const UsageError&) {
    (void)first;
  }
}

TEST_CASE("Aliasing: the in-place forms of NCCL work, on every rank") {
  const Numbers first{0, 1, 2, 103, 104, 105, 6, 7, 8};
  const Numbers second{0, 1, 2, 103, 104, 105, 106, 107, 108};
  expect(gathers_in_place, first, second);
  expect(gathers_of_shapes, first, second);
  expect(list_gathers_in_place, first, second);
  expect(root_gathers_in_place, {0, 1, 2, 3, 4, 5, 6, 7, 8}, second);
  const Numbers scattered0{100, 102, 104, 3, 4, 5, 6, 7, 8};
  const Numbers scattered1{100, 101, 102, 106, 108, 110, 106, 107, 108};
  expect(scatters_in_place, scattered0, scattered1);
  expect(list_scatters_in_place, scattered0, scattered1);
  expect(root_scatters_in_place, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {100, 101, 102, 3, 4, 5, 106, 107, 108});
}

TEST_CASE("Aliasing: disjoint parts of one tensor are two tensors") {
  expect(gathers_beside, {6, 7, 8, 106, 107, 108, 6, 7, 8}, {6, 7, 8, 106, 107, 108, 106, 107, 108});
}

TEST_CASE("Aliasing: any other overlap is refused with both byte ranges") {
  expect_refused(gathers_shifted, {"all_gather_into_tensor: input 'big'", "bytes 16 to 28", "output 'big'",
                                   "bytes 0 to 24", "overlap on"});
  expect_refused(gathers_anothers_share, {"bytes 0 to 12", "bytes 0 to 24"});
  expect_refused(scatters_shifted, {"reduce_scatter_tensor", "bytes 0 to 24", "bytes 8 to 20"});
  expect_refused(exchanges_one_element, {"all_to_all_single", "bytes 12 to 28", "bytes 0 to 16"});
  expect_refused(exchanges_in_place, {"all_to_all_single", "bytes 0 to 16"});
  expect_refused(outputs_overlap, {"all_gather: output 0 'big'", "output 1 'big'", "bytes 8 to 20"});
  expect_refused(list_input_in_anothers_place, {"reduce_scatter: output 'big'", "bytes 12 to 24"});
  expect_refused(batch_overlaps, {"batch_isend_irecv: isend 0", "irecv 1", "bytes 12 to 28"});
}

TEST_CASE("Aliasing: the error ends all ranks, also where one catches it") {
  expect_refused(one_rank_overlaps, {"Process 1 terminated", "bytes 16 to 28", "bytes 0 to 24"});
}

Task<> multiplies_on_two_meshes(Rank& rk) {
  const dtensor::DeviceMesh a = co_await dtensor::init_device_mesh(rk, "ahbm", {2}, {"tp"});
  const dtensor::DeviceMesh b = co_await dtensor::init_device_mesh(rk, "ahbm", {2}, {"tp"});
  const dtensor::DeviceMesh other = co_await dtensor::init_device_mesh(rk, "ahbm", {2}, {"dp"});
  CHECK(a == b);
  CHECK_FALSE(a == other);
  const Tensor x = co_await rk.torch.full({2, 2}, 1.0, f32, {.dp = kOnePe});
  const auto in =
      co_await dtensor::distribute_tensor(x, a, {dtensor::Replicate{}}, kOnePe, {.from_first_rank = false});
  const auto by =
      co_await dtensor::distribute_tensor(x, b, {dtensor::Replicate{}}, kOnePe, {.from_first_rank = false});
  const dtensor::DTensor product = co_await dtensor::matmul(in, by);
  const HostArray all = co_await product.full_tensor();
  CHECK(all.to_doubles() == Numbers(4, 2.0));
}
Task<> two_meshes(Rank& main) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(multiplies_on_two_meshes, {.nprocs = 2});
}

TEST_CASE("DeviceMesh: two of one shape and names are equal, and their DTensors combine") {
  HostProgram all{machine(2, 1, 1), algorithms()};
  all.run(two_meshes);
}

}  // namespace aliasing_test
}  // namespace
