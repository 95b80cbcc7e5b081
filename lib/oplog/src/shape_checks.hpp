#pragma once

#include <string>

#include "kbsim/oplog/op.hpp"

namespace kbsim::oplog {

/// How an operation breaks the rules of its kind; "" if it doesn't. Inputs have been counted.
[[nodiscard]] std::string literal_contradiction(const Op& op);
[[nodiscard]] std::string copy_contradiction(const Op& op);
[[nodiscard]] std::string cast_contradiction(const Op& op);

/// Whether shapes and dtypes fit the kind.
[[nodiscard]] bool unary_fits(const Op& op);
[[nodiscard]] bool binary_fits(const Op& op);
[[nodiscard]] bool ternary_fits(const Op& op);
[[nodiscard]] bool reduce_fits(const Op& op);
[[nodiscard]] bool scan_fits(const Op& op);
[[nodiscard]] bool topk_fits(const Op& op);
[[nodiscard]] bool permute_fits(const Op& op);
[[nodiscard]] bool broadcast_fits(const Op& op);
[[nodiscard]] bool concat_fits(const Op& op);
[[nodiscard]] bool dot_fits(const Op& op);
[[nodiscard]] bool softmax_fits(const Op& op);
[[nodiscard]] bool slice_fits(const Op& op);

/// "inputs f16 [4] and f32 [4] don't fit it".
[[nodiscard]] std::string misfit(const Op& op);
/// "f16 [4]".
[[nodiscard]] std::string described(const Operand& input);

}  // namespace kbsim::oplog
