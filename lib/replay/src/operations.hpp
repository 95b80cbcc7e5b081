#pragma once

#include <cstddef>
#include <span>

#include "kbsim/oplog/op.hpp"
#include "kbsim/replay/execute.hpp"

namespace kbsim::replay {

/// One function per kind: fills `out`, which has the size of the operation's value. Inputs are aligned for
/// their items. All shapes and dtypes fit, as the record has checked.
using Output = std::span<std::byte>;

void unary(const oplog::Op& op, Inputs inputs, Output out);
void binary(const oplog::Op& op, Inputs inputs, Output out);
void ternary(const oplog::Op& op, Inputs inputs, Output out);
void reduce(const oplog::Op& op, Inputs inputs, Output out);
void scan(const oplog::Op& op, Inputs inputs, Output out);
void softmax(const oplog::Op& op, Inputs inputs, Output out);
void topk(const oplog::Op& op, Inputs inputs, Output out);
void permute(const oplog::Op& op, Inputs inputs, Output out);
void broadcast(const oplog::Op& op, Inputs inputs, Output out);
void concat(const oplog::Op& op, Inputs inputs, Output out);
void slice(const oplog::Op& op, Inputs inputs, Output out);
void dot(const oplog::Op& op, Inputs inputs, Output out);

}  // namespace kbsim::replay
