#include <doctest/doctest.h>

#include "kbsim/sim/when_all.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using topology::Split;

namespace {

struct Case {
  topology::DPPolicy dp;
  Shape shape;
  DType dtype = f16;
};

HostArray numbers(Shape shape, DType dtype) {
  return generate(shape, dtype, [](std::int64_t i) { return static_cast<double>((5 * i) % 61) - 17.0; });
}

Task<> there_and_back(Rank& rk, const std::vector<Case>* cases) {
  for (const Case& c : *cases) {
    CAPTURE(to_string(c.dp.cube));
    CAPTURE(to_string(c.dp.pe));
    CAPTURE(to_string(c.shape));
    CAPTURE(to_string(c.dtype));
    const HostArray written = numbers(c.shape, c.dtype);
    Tensor x = co_await rk.torch.zeros(c.shape, c.dtype, {.dp = c.dp});
    co_await x.copy_(written);
    const HostArray read = co_await x.to_host();
    CHECK(read.shape() == c.shape);
    CHECK(read.dtype() == c.dtype);
    CHECK(read.bytes() == written.bytes());
  }
}

Task<> makers(Rank& rk, int) {
  Tensor zeros = co_await rk.torch.zeros({4, 3}, f32, {});
  const HostArray zero = co_await zeros.to_host();
  CHECK(zero.to_doubles() == std::vector<double>(12, 0.0));
  const Tensor ones = co_await rk.torch.ones({5}, i32, {});
  const HostArray one = co_await ones.to_host();
  CHECK(one.to_doubles() == std::vector<double>(5, 1.0));
  Tensor full = co_await rk.torch.full({4, 3}, 2.5, bf16, {.name = "x"});
  const HostArray number = co_await full.to_host();
  CHECK(number.to_doubles() == std::vector<double>(12, 2.5));
  CHECK(full.name() == "x");
  CHECK(full.sip() == 0);
  CHECK(full.ptr().dtype == bf16);
  const HostArray contents = numbers({7}, f64);
  Tensor copy = co_await rk.torch.from_host(contents, {});
  const HostArray read = co_await copy.to_host();
  CHECK(read.bytes() == contents.bytes());
}

Task<> write(Tensor x, HostArray contents) { co_await x.copy_(std::move(contents)); }

Task<> read(Tensor x, std::vector<std::byte>* bytes) {
  const HostArray contents = co_await x.to_host();
  *bytes = contents.bytes();
}

Task<> read_while_written(Rank& rk, int) {
  Tensor x = co_await rk.torch.zeros({64, 64}, f16, {});
  const HostArray contents = numbers({64, 64}, f16);
  std::vector<std::byte> bytes;
  co_await when_all(write(x, contents), read(x, &bytes));
  CHECK(bytes == contents.bytes());
}

}  // namespace

TEST_CASE("Tensor: what copy_ writes, to_host reads, for every pair of splits and many shapes") {
  std::vector<Case> cases;
  for (const Split cube : {Split::replicate, Split::row_wise, Split::column_wise, Split::tiled_row_major,
                           Split::tiled_column_major}) {
    for (const Split pe : {Split::replicate, Split::row_wise, Split::column_wise, Split::tiled_row_major,
                           Split::tiled_column_major}) {
      for (const Shape shape : {Shape{1}, Shape{37}, Shape{5, 7}, Shape{16, 24}, Shape{3, 4, 5}}) {
        cases.push_back({{.cube = cube, .pe = pe, .tile = {.rows = 4, .cols = 5}}, shape});
      }
    }
  }
  Program{}.run(there_and_back, &cases);
}

TEST_CASE("Tensor: what copy_ writes, to_host reads, for every dtype") {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < kDTypes.size(); ++i)
    cases.push_back({{.cube = Split::row_wise}, {8, 8}, static_cast<DType>(i)});
  Program{}.run(there_and_back, &cases);
}

TEST_CASE("Tensor: zeros, full and from_host are what they say") { Program{}.run(makers, 0); }

TEST_CASE("Tensor: a read waits for a write that is under way") { Program{}.run(read_while_written, 0); }
