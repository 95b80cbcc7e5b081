#include "kbsim/hw/pe/i_gemm.hpp"

namespace kbsim::hw {

DotExtents extents(const oplog::Op& dot) {
  const Shape& a = dot.inputs[0].shape;
  const GemmTile product{.m = a[a.rank() - 2],
                         .k = a[a.rank() - 1],
                         .n = dot.shape[dot.shape.rank() - 1],
                         .element_bytes = itemsize(dot.inputs[0].dtype)};
  return {.product = product, .batches = dot.shape.elements() / (product.m * product.n)};
}

}  // namespace kbsim::hw
