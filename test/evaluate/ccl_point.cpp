#include "kbsim/evaluate/ccl_point.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "support.hpp"

namespace kbsim::evaluate::test::ccl_point_test {

using namespace kbsim::evaluate::test;
using config::Collective;

namespace {

constexpr int kRanks = 3;

CclPoint point(Collective which, const std::string& kernel, Bytes size) {
  return {.machine = machine(kRanks), .algorithm = over_ring(which, kernel), .size = size};
}

std::int64_t elements(Collective which, Bytes size) { return elements_of(point(which, "", size)); }

}  // namespace

TEST_CASE("elements_of: the size is the larger one of input and output, cut to what three ranks can divide") {
  CHECK(elements(Collective::all_reduce, 100_B) == 50);
  CHECK(elements(Collective::broadcast, 1_B) == 1);
  CHECK(elements(Collective::all_gather, 100_B) == 16);
  CHECK(elements(Collective::all_gather, 1_B) == 1);
  CHECK(elements(Collective::reduce_scatter, 100_B) == 48);
  CHECK(elements(Collective::all_to_all, 1_B) == 3);
}

TEST_CASE("simulate: a row's bandwidths are its size over its time, times the bus factor") {
  const boost::json::object row =
      simulate(point(Collective::all_gather, "ring_all_gather", Bytes{3 * 2 * 100 + 5}));
  const auto number = [&](const char* key) { return row.at(key).to_number<double>(); };
  CHECK(number("size") == 600);
  CHECK(number("count") == 100);
  CHECK(row.at("type") == "half");
  CHECK(row.at("redop") == "none");
  CHECK(number("root") == -1);
  CHECK(number("alg_bw") == doctest::Approx(600 / (number("time") * 1000)).epsilon(1e-12));
  CHECK(number("bus_bw") == doctest::Approx(number("alg_bw") * 2 / 3).epsilon(1e-12));
  CHECK(number("nwrong") == 0);
  CHECK(row.at("correct") == true);
  CHECK(number("kernel_us") < number("time"));
}

TEST_CASE("simulate: gathers and reduce-scatters are measured and checked in place, too") {
  for (const Bytes size : {6_B, 600_B, 9000_B}) {
    CAPTURE(size.count());
    for (const auto& [which, kernel] : {std::pair{Collective::all_gather, "ring_all_gather"},
                                        {Collective::reduce_scatter, "ring_reduce_scatter"}}) {
      CAPTURE(kernel);
      const boost::json::object row = simulate(point(which, kernel, size));
      CHECK(row.at("nwrong") == 0);
      CHECK(row.at("in_place_nwrong") == 0);
      CHECK(row.at("correct") == true);
      const double ns = 1000 * row.at("in_place_time").to_number<double>();
      CHECK(ns > 0);
      CHECK(row.at("in_place_alg_bw").to_number<double>() ==
            doctest::Approx(row.at("size").to_number<double>() / ns).epsilon(1e-12));
    }
  }
  for (const auto& [which, kernel] :
       {std::pair{Collective::all_reduce, "ring_allreduce"}, {Collective::all_to_all, "ring_all_to_all"}})
    CHECK(!simulate(point(which, kernel, 600_B)).contains("in_place_time"));
}

TEST_CASE("simulate: one without a check takes the same time, and doesn't say that it is right") {
  CclPoint checked = point(Collective::reduce, "ring_reduce", 256_B);
  checked.root = 1;
  checked.op = Reduction::max;
  CclPoint unchecked = checked;
  unchecked.repeats.check = false;
  const boost::json::object with = simulate(checked);
  const boost::json::object without = simulate(unchecked);
  CHECK(with.at("redop") == "max");
  CHECK(with.at("root") == 1);
  CHECK(with.at("time") == without.at("time"));
  CHECK(without.at("correct").is_null());
  CHECK(without.at("nwrong").is_null());
}

TEST_CASE("dtype_named: nccl-tests' names and ours; nccl_name: theirs") {
  CHECK(dtype_named("bfloat16") == DType::bf16);
  CHECK(dtype_named("bf16") == DType::bf16);
  for (const char* name : {"half", "float16", "fp16", "f16"}) CHECK(dtype_named(name) == f16);
  for (const char* name : {"float", "float32", "fp32", "f32"}) CHECK(dtype_named(name) == f32);
  CHECK(dtype_named("int") == i32);
  CHECK_THROWS_WITH_AS((void)dtype_named("int64"),
                       "-d int64: collectives don't have this type; expected half, bfloat16, float, double, "
                       "int8, uint8, int32",
                       UsageError);
  CHECK_THROWS_WITH_AS((void)dtype_named("float15"), "-d float15: no such type, did you mean 'float16'?",
                       UsageError);
  CHECK_THROWS_AS((void)dtype_named(""), UsageError);
  CHECK(nccl_name(DType::bf16) == "bfloat16");
  CHECK_THROWS_WITH_AS((void)dtype_named("hlaf"), "-d hlaf: no such type, did you mean 'half'?", UsageError);
  CHECK(reduction_named("avg") == Reduction::avg);
  CHECK_THROWS_WITH_AS((void)reduction_named("summ"), "-o summ: no such operation, did you mean 'sum'?",
                       UsageError);
}

}  // namespace kbsim::evaluate::test::ccl_point_test
