// Collectives and reductions in f64, by the definitions that PyTorch and NCCL document. Nothing here is
// shared with the kernels or with the table of collectives.
#pragma once

#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::host::test::reference {

/// An element as its definition gives it, and by how much rounding in the tensor's dtype may move it.
struct Defined {
  double value = 0;
  double error = 0;
};

/// One rank's elements; all ranks'.
using Elements = std::vector<double>;
using Ranks = std::vector<Elements>;
using Output = std::vector<Defined>;

/// The distance of two neighbours of a dtype, at numbers of that size.
[[nodiscard]] double ulp(DType dtype, double size);
/// The largest finite number of a dtype.
[[nodiscard]] double largest(DType dtype);

/// The contributions of all ranks to one element. Sum and product of integers are modulo 2^bits; of bools, or
/// and and. An average is the sum of the contributions, each divided by their number.
[[nodiscard]] Defined reduced(Reduction op, DType dtype, const Elements& contributions);

/// Each function gives the output of `rank`.
[[nodiscard]] Output all_reduce(const Ranks& in, Reduction op, DType dtype);
[[nodiscard]] Output broadcast(const Ranks& in, int src);
/// All inputs, in the order of the ranks.
[[nodiscard]] Output all_gather(const Ranks& in);
/// Part `rank` of `ranks` equal ones of the reduced inputs.
[[nodiscard]] Output reduce_scatter(const Ranks& in, Reduction op, DType dtype, int rank);
/// Part `rank` of each input, in the order of the ranks.
[[nodiscard]] Output all_to_all(const Ranks& in, int rank);
/// The input of the rank before, as a ring's neighbours send it.
[[nodiscard]] Output from_neighbour(const Ranks& in, int rank);

}  // namespace kbsim::host::test::reference
