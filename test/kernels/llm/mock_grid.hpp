#pragma once

#include <any>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/kernels/llm/pe_grid.hpp"
#include "kbsim/mock/world.hpp"

#include "../both.hpp"

namespace kbsim::llm::test {

using kbsim::test::Array;
using kbsim::test::normal;
using kbsim::test::Numbers;

/// An activation without memory, of the least stride.
[[nodiscard]] Activation laid_out(const PeGrid& grid, std::int64_t rows, std::int64_t cols);
/// The elements of the host's tensor for a matrix, and the matrix of the tensor.
[[nodiscard]] Numbers to_parts(const PeGrid& grid, const Activation& x, const Numbers& matrix);
[[nodiscard]] Numbers from_parts(const PeGrid& grid, const Activation& x, const Numbers& parts);

/// A machine of one package with the PEs of a grid, and the queues of package_exchange.
[[nodiscard]] config::MachineSpec machine_of(const PeGrid& grid);
[[nodiscard]] config::AlgorithmSpec queues_of(const PeGrid& grid, int slots);

/// A grid of PEs in the mock, with few slots, and tensors as operations on all PEs of a package take them.
class MockGrid {
 public:
  explicit MockGrid(PeGrid grid, int slots = 1);

  /// [rows, cols], each PE its part.
  [[nodiscard]] Activation activation(const Array& x, std::int64_t rows, std::int64_t cols);
  [[nodiscard]] Activation room(std::int64_t rows, std::int64_t cols, DType dtype);
  [[nodiscard]] Numbers read(const Activation& x) const;
  /// [rows, cols] divided by columns over cubes and then over their PEs, or then by rows.
  [[nodiscard]] Ptr columns(const Array& w, std::int64_t rows, std::int64_t cols);
  [[nodiscard]] Ptr blocks(const Array& w, std::int64_t rows, std::int64_t cols);
  /// Elements one after the other.
  [[nodiscard]] Ptr vector(const Array& x) { return world_.alloc(0, x.numbers, x.dtype); }
  [[nodiscard]] Ptr empty(std::int64_t n, DType dtype) { return world_.alloc(0, n, dtype); }
  [[nodiscard]] Numbers read(Ptr from, std::int64_t n) const { return world_.read(0, from, n); }
  [[nodiscard]] Scratch scratch(std::int64_t elements, DType dtype);

  void run(const std::string& kernel, const std::any& args) { world_.run(kernel, args); }
  [[nodiscard]] const PeGrid& grid() const { return grid_; }

 private:
  PeGrid grid_;
  mock::World world_;
};

/// A grid of 1 x 1 to 3 x 2 cubes, of 1 to 5 PEs, and slots of 8 to 256 bytes.
[[nodiscard]] PeGrid random_grid(std::mt19937& random);
[[nodiscard]] std::int64_t between(std::mt19937& random, std::int64_t least, std::int64_t most);

/// Each number is within `relative` of the reference, or of `largest` where that is more.
void check_close(const Numbers& numbers, const Numbers& reference, double relative, double largest);
/// The relative rounding of a dtype.
[[nodiscard]] double rounding(DType dtype);

}  // namespace kbsim::llm::test
