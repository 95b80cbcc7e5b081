#include "mock_grid.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/ccl/mapper.hpp"
#include "kbsim/mock/mock_wiring.hpp"

namespace kbsim::llm::test {
namespace {

// Calls f(element of the matrix) for all elements of a block, row by row.
template <class F>
void each_of(Part rows, Part columns, std::int64_t cols, F f) {
  for (std::int64_t row = rows.begin; row < rows.end(); ++row) {
    for (std::int64_t col = columns.begin; col < columns.end(); ++col)
      f(static_cast<std::size_t>(row * cols + col));
  }
}

// Calls f(element of the tensor, element of the matrix) for all elements of an activation.
template <class F>
void each_element(const PeGrid& grid, const Activation& x, F f) {
  for (int i = 0; i < grid.all(); ++i) {
    auto at = static_cast<std::size_t>(i * x.stride);
    each_of(x.rows_of(grid, i % grid.pes), x.columns_of(grid, i / grid.pes), x.cols,
            [&](std::size_t element) { f(at++, element); });
  }
}

}  // namespace

Activation laid_out(const PeGrid& grid, std::int64_t rows, std::int64_t cols) {
  return {.stride = std::max<std::int64_t>(stride_for(grid, rows, cols), 1), .rows = rows, .cols = cols};
}

Numbers to_parts(const PeGrid& grid, const Activation& x, const Numbers& matrix) {
  Numbers parts(static_cast<std::size_t>(x.stride * grid.all()), -99.0);
  each_element(grid, x, [&](std::size_t at, std::size_t element) { parts[at] = matrix[element]; });
  return parts;
}

Numbers from_parts(const PeGrid& grid, const Activation& x, const Numbers& parts) {
  Numbers matrix(static_cast<std::size_t>(x.rows * x.cols));
  each_element(grid, x, [&](std::size_t at, std::size_t element) { matrix[element] = parts[at]; });
  return matrix;
}

config::MachineSpec machine_of(const PeGrid& grid) {
  config::MachineSpec machine;
  machine.system.sips.count = 1;
  machine.sip.cube_mesh = {.w = grid.w, .h = grid.h};
  machine.cube.pe_layout.corners.resize(1);
  machine.cube.pe_layout.pe_per_corner = grid.pes;
  return machine;
}

config::AlgorithmSpec queues_of(const PeGrid& grid, int slots) {
  config::AlgorithmSpec algorithm;
  algorithm.name = "package_exchange";
  algorithm.kernel = "product_columns";
  algorithm.topology = "package_exchange";
  algorithm.mapper = "all_pes";
  algorithm.n_slots = slots;
  algorithm.slot_size = Bytes{grid.slot_bytes};
  return algorithm;
}

MockGrid::MockGrid(PeGrid grid, int slots)
    : grid_{grid}, world_{mock::like(machine_of(grid), queues_of(grid, slots))} {}

Activation MockGrid::room(std::int64_t rows, std::int64_t cols, DType dtype) {
  Activation x = laid_out(grid_, rows, cols);
  x.base = world_.alloc(0, x.stride * grid_.all(), dtype);
  return x;
}

Activation MockGrid::activation(const Array& x, std::int64_t rows, std::int64_t cols) {
  Activation to = laid_out(grid_, rows, cols);
  to.base = world_.alloc(0, to_parts(grid_, to, x.numbers), x.dtype);
  return to;
}

Numbers MockGrid::read(const Activation& x) const {
  return from_parts(grid_, x, read(x.base, x.stride * grid_.all()));
}

Ptr MockGrid::columns(const Array& w, std::int64_t rows, std::int64_t cols) {
  Numbers slabs;
  for (int cube = 0; cube < grid_.cubes(); ++cube) {
    for (int pe = 0; pe < grid_.pes; ++pe) {
      const Part slab = part_of(part_of(cols, cube, grid_.cubes()), pe, grid_.pes);
      each_of({0, rows}, slab, cols, [&](std::size_t i) { slabs.push_back(w.numbers[i]); });
    }
  }
  return world_.alloc(0, slabs, w.dtype);
}

Ptr MockGrid::blocks(const Array& w, std::int64_t rows, std::int64_t cols) {
  Numbers blocks;  // the rows of a cube's PEs follow each other
  for (int cube = 0; cube < grid_.cubes(); ++cube) {
    each_of({0, rows}, part_of(cols, cube, grid_.cubes()), cols,
            [&](std::size_t i) { blocks.push_back(w.numbers[i]); });
  }
  return world_.alloc(0, blocks, w.dtype);
}

Scratch MockGrid::scratch(std::int64_t elements, DType dtype) {
  const std::int64_t stride = std::max<std::int64_t>(elements, 1);
  return {.base = world_.alloc(0, stride * grid_.all(), dtype), .stride = stride};
}

std::int64_t between(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution{least, most}(random);
}

PeGrid random_grid(std::mt19937& random) {
  return {.w = static_cast<int>(between(random, 1, 3)),
          .h = static_cast<int>(between(random, 1, 2)),
          .pes = static_cast<int>(between(random, 1, 5)),
          .slot_bytes = std::int64_t{8} << between(random, 0, 5)};
}

void check_close(const Numbers& numbers, const Numbers& reference, double relative, double largest) {
  REQUIRE(numbers.size() == reference.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CAPTURE(i);
    REQUIRE(std::abs(numbers[i] - reference[i]) <= relative * std::max(std::abs(reference[i]), largest));
  }
}

double rounding(DType dtype) { return dtype == bf16 ? 1.0 / 256 : dtype == f16 ? 1.0 / 2048 : 1e-6; }

}  // namespace kbsim::llm::test
