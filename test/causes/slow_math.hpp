#pragma once

#include <string>

#include "kbsim/oplog/op.hpp"

namespace kbsim::test::causes {

/// While this object lives, one operation takes longer on vector engines of the model below.
class SlowOp {
 public:
  SlowOp(oplog::ValueId op, Time by);
  ~SlowOp();
  SlowOp(const SlowOp&) = delete;
  SlowOp& operator=(const SlowOp&) = delete;
};

/// The override that chooses that model: 4 ns, and 1 ps an element.
[[nodiscard]] std::string slow_math();

}  // namespace kbsim::test::causes
