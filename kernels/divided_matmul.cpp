// C = A B by one composite on each PE. Each PE takes rows of A and C, or columns of B and C, divided evenly
// over cubes and then over their PEs.
#include <algorithm>

#include "kbsim/kernels/matmul.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim {
namespace {

struct Part {
  std::int64_t begin = 0;
  std::int64_t size = 0;
};

// Divides as placements do: the first parts have one more.
Part part_of(Part whole, std::int64_t index, std::int64_t parts) {
  const std::int64_t each = whole.size / parts;
  const std::int64_t more = whole.size % parts;
  return {whole.begin + index * each + std::min(index, more), each + (index < more ? 1 : 0)};
}

Task<> divided_matmul(TL& tl, DividedMatmulArgs args) {
  const Part all{0, args.by_rows ? args.m : args.n};
  const Part of_cube = part_of(all, tl.program_id(1), args.cubes);
  const Part mine = part_of(of_cube, tl.program_id(0), args.pes);
  const std::int64_t m = args.by_rows ? mine.size : args.m;
  const std::int64_t n = args.by_rows ? args.n : mine.size;
  const Ptr a_at = args.by_rows ? args.a + mine.begin * args.k : args.a;
  const Ptr b_at = args.by_rows ? args.b : args.b + mine.begin * args.k;
  const Ptr c_at = args.c + mine.begin * (args.by_rows ? args.n : args.m);
  const Ref a = tl.ref(a_at, {m, args.k}, args.a.dtype);
  const Ref b = tl.ref(b_at, {args.k, n}, args.b.dtype);
  const Ref c = tl.ref(c_at, {m, n}, args.c.dtype);
  co_await tl.composite({.op = Op::gemm, .a = a, .b = b, .out = c});
}
KBSIM_KERNEL(divided_matmul, "C = A B by a composite on each PE, of its rows of A or its columns of B");

}  // namespace
}  // namespace kbsim
