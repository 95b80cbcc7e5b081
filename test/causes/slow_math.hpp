#pragma once

#include <string>

#include "kbsim/oplog/op.hpp"

namespace kbsim::test::causes {

/// Of the vector engines of an own model one operation takes longer, as long as this lives.
class SlowOp {
 public:
  SlowOp(oplog::ValueId op, Time by);
  ~SlowOp();
  SlowOp(const SlowOp&) = delete;
  SlowOp& operator=(const SlowOp&) = delete;
};

/// What chooses that model: 4 ns, and 1 ps an element.
[[nodiscard]] std::string slow_math();

}  // namespace kbsim::test::causes
