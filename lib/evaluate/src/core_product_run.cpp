#include "kbsim/evaluate/core_product_run.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kbsim/base/random.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/evaluate/rehearsal.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/kernels/core_product.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/replay/reference.hpp"

namespace kbsim::evaluate {
namespace {

using collective::Slice;

topology::DPPolicy a_row_each() {
  return {.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
}

Shape on_pes(const CoreProductDivision& division, std::int64_t stride) {
  return {std::int64_t{division.rows} * division.columns, stride};
}

// Numbers from -1 to 1, as bf16 has them.
std::vector<double> random_matrix(std::int64_t elements, std::uint64_t seed) {
  Random random{seed};
  std::vector<double> numbers(static_cast<std::size_t>(elements));
  for (double& number : numbers) number = 2.0 * random.uniform() - 1.0;
  return replay::to_doubles(replay::from_doubles(numbers, bf16), bf16);
}

// Calls at(place, row, column) with each element of A, or of B, and its place in the tensor.
using AtElement = std::function<void(std::int64_t place, std::int64_t row, std::int64_t column)>;

void visit_message(ProductSide side, Slice piece, Slice step, std::int64_t place, const AtElement& at) {
  const Slice rows = side == ProductSide::a ? piece : step;
  const Slice columns = side == ProductSide::a ? step : piece;
  for (std::int64_t row = 0; row < rows.size; ++row) {
    for (std::int64_t column = 0; column < columns.size; ++column)
      at(place++, rows.first + row, columns.first + column);
  }
}

void visit(const CoreProductDivision& division, ProductSide side, const AtElement& at) {
  for (int part = 0; part < division.parts(side); ++part) {
    for (int step = 0; step < division.steps(); ++step) {
      const int owner = division.owner(side, step);
      const std::int64_t pe = side == ProductSide::a ? std::int64_t{part} * division.columns + owner
                                                     : std::int64_t{owner} * division.columns + part;
      for (int block = 0; block < division.blocks(side); ++block) {
        for (const Slice& piece : division.pieces(side, part, block)) {
          const std::int64_t place =
              pe * division.stride(side) + division.place(side, part, block, step, piece);
          visit_message(side, piece, division.step(step), place, at);
        }
      }
    }
  }
}

// The tensor of A or B: each PE's messages. Places without an element are 0.
host::HostArray arranged(const CoreProductDivision& division, ProductSide side,
                         const std::vector<double>& matrix) {
  const std::int64_t width = side == ProductSide::a ? division.k : division.n;
  const Shape shape = on_pes(division, division.stride(side));
  std::vector<double> numbers(static_cast<std::size_t>(shape.elements()));
  visit(division, side, [&](std::int64_t place, std::int64_t row, std::int64_t column) {
    numbers[static_cast<std::size_t>(place)] = matrix[static_cast<std::size_t>(row * width + column)];
  });
  return {shape, bf16, replay::from_doubles(numbers, bf16)};
}

void take_block(const CoreProductDivision& division, int r, int c, int i, int j,
                std::span<const double> tensor, std::vector<double>& matrix) {
  const std::int64_t own = (std::int64_t{r} * division.columns + c) * division.out_stride();
  for (const Slice& rows : division.pieces(ProductSide::a, r, i)) {
    for (const Slice& columns : division.pieces(ProductSide::b, c, j)) {
      std::int64_t place = own + division.out_place(r, c, i, j, rows, columns);
      for (std::int64_t row = rows.first; row < rows.first + rows.size; ++row) {
        for (std::int64_t column = columns.first; column < columns.first + columns.size; ++column)
          matrix[static_cast<std::size_t>(row * division.n + column)] =
              tensor[static_cast<std::size_t>(place++)];
      }
    }
  }
}

// C of the tensor, row-major.
std::vector<double> collected(const CoreProductDivision& division, std::span<const double> tensor) {
  std::vector<double> matrix(static_cast<std::size_t>(division.m * division.n));
  for (int r = 0; r < division.rows; ++r) {
    for (int c = 0; c < division.columns; ++c) {
      for (int i = 0; i < division.row_blocks; ++i) {
        for (int j = 0; j < division.column_blocks; ++j) take_block(division, r, c, i, j, tensor, matrix);
      }
    }
  }
  return matrix;
}

topology::Region region(bool tcm) { return tcm ? topology::Region::tcm : topology::Region::hbm; }

// A or B, and its numbers if the run has values.
struct Matrix {
  std::vector<double> numbers;
  host::HostArray array;
};

Matrix matrix_of(host::Rank& main, const CoreProductDivision& division, ProductSide side) {
  const Shape shape = on_pes(division, division.stride(side));
  if (!main.session().has_values()) return {{}, host::HostArray::without_numbers(shape, bf16)};
  const std::int64_t elements = division.k * (side == ProductSide::a ? division.m : division.n);
  std::vector<double> numbers = random_matrix(elements, side == ProductSide::a ? 1 : 2);
  host::HostArray array = arranged(division, side, numbers);
  return {std::move(numbers), std::move(array)};
}

double peak_macs_per_ns(host::Session& session, int sip) {
  const topology::PeNodes& pe = session.machine().graph().pe({sip, 0, 0});
  return session.machine().at<hw::IGemm>(pe.gemm).peak_macs_per_ns();
}

}  // namespace

void require_possible(const config::MachineSpec& machine, const CoreProductProblem& problem, int sip) {
  const CoreProductDivision division = core_product_division(machine, problem);
  Rehearsal rehearsal{machine};
  rehearsal.install(core_product_queues(machine));
  const auto place = [&](bool tcm, std::int64_t stride) {
    if (!tcm) rehearsal.place(sip, on_pes(division, stride), bf16, a_row_each());
  };
  place(problem.a_in_tcm, division.stride(ProductSide::a));
  place(false, division.stride(ProductSide::b));
  place(problem.c_in_tcm, division.out_stride());
}

Task<> run_core_product(host::Rank& main, CoreProductProblem problem, CoreProductRun* run) {
  host::Session& session = main.session();
  const CoreProductDivision division = core_product_division(session.spec(), problem);
  run->division = division;
  (void)co_await main.install_ipcq(session.algorithm().name);
  const Matrix a_matrix = matrix_of(main, division, ProductSide::a);
  const Matrix b_matrix = matrix_of(main, division, ProductSide::b);
  const host::Tensor a = co_await main.torch.from_host(a_matrix.array, {.dp = a_row_each(),
                                                                        .name = "a",
                                                                        .shared = true,
                                                                        .mem_kind = region(problem.a_in_tcm),
                                                                        .resident = true});
  const host::Tensor b = co_await main.torch.from_host(
      b_matrix.array, {.dp = a_row_each(), .name = "b", .shared = true, .resident = true});
  const host::Tensor c = co_await main.torch.empty(on_pes(division, division.out_stride()), bf16,
                                                   {.dp = a_row_each(),
                                                    .name = "c",
                                                    .shared = true,
                                                    .mem_kind = region(problem.c_in_tcm),
                                                    .resident = true});
  const CoreProductArgs args{.division = division,
                             .a = a.ptr(),
                             .b = b.ptr(),
                             .c = c.ptr(),
                             .a_owned = problem.a_in_tcm,
                             .backwards = session.spec().cube.noc.sends_back()};
  run->window = co_await main.launch("core_product", c, args);
  const double ns = to_ns(run->window.last_end - run->window.first_start);
  run->utilization =
      static_cast<double>(problem.macs()) / ns /
      (peak_macs_per_ns(session, main.ahbm.current_device()) * division.rows * division.columns);
  if (!session.has_values()) co_return;
  const host::HostArray result = co_await c.to_host();
  const std::vector<double> expected =
      replay::matmul(a_matrix.numbers, b_matrix.numbers, {.m = problem.m, .k = problem.k, .n = problem.n});
  const std::vector<double> actual = collected(division, result.to_doubles());
  run->numbers = replay::compare(replay::from_doubles(actual, bf16), expected, bf16,
                                 {.abs = 4e-8 * static_cast<double>(problem.k), .ulp = 0.75});
  run->checked = true;
}

}  // namespace kbsim::evaluate
