#include "kbsim/tl/block.hpp"

namespace kbsim {

Block whole(Ptr at, const Shape& shape, DType dtype) {
  return {.runs = {{.va = at.va, .bytes = shape.bytes(dtype)}}, .shape = shape, .dtype = dtype};
}

}  // namespace kbsim
