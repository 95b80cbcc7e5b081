#include "check.hpp"

#include <array>

#include <fmt/format.h>

namespace kbsim::oplog {
namespace {

std::string described(const Operand& input) {
  return fmt::format("{} {}", to_string(input.dtype), to_string(input.shape));
}

std::int64_t total(const Slices& slices) {
  std::int64_t bytes = 0;
  for (const Slice& slice : slices) bytes += slice.bytes;
  return bytes;
}

std::string operand_contradiction(const Operand& input) {
  for (const Slice& slice : input.slices) {
    if (slice.offset < 0 || slice.bytes < 0) {
      return fmt::format("an input has a slice of {} bytes at {}", slice.bytes, slice.offset);
    }
  }
  const std::int64_t expected = input.shape.bytes(input.dtype).count();
  if (total(input.slices) == expected) return {};
  return fmt::format("input {} needs {} bytes, its slices have {}", described(input), expected,
                     total(input.slices));
}

std::string literal_contradiction(const Op& op) {
  const std::int64_t expected = op.shape.bytes(op.dtype).count();
  const std::int64_t actual = op.data ? static_cast<std::int64_t>(op.data->size()) : 0;
  if (op.data && actual == expected) return {};
  return fmt::format("needs {} bytes of data, has {}", expected, actual);
}

std::string count_contradiction(const Op& op) {
  if (op.inputs[0].shape.elements() == op.shape.elements()) return {};
  return fmt::format("input {} has another count of elements", described(op.inputs[0]));
}

std::string copy_contradiction(const Op& op) {
  if (op.inputs[0].dtype == op.dtype) return count_contradiction(op);
  return fmt::format("input {} has another dtype", described(op.inputs[0]));
}

std::string binary_contradiction(const Op& op) {
  const Operand& a = op.inputs[0];
  const Operand& b = op.inputs[1];
  const bool dtypes = a.dtype == op.dtype && b.dtype == op.dtype;
  const bool shapes = a.shape == op.shape && (b.shape == op.shape || b.shape.elements() == 1);
  if (dtypes && shapes) return {};
  return fmt::format("inputs {} and {} don't fit it", described(a), described(b));
}

std::string kind_contradiction(const Op& op) {
  switch (op.kind) {
    case OpKind::literal: return literal_contradiction(op);
    case OpKind::fill: return {};
    case OpKind::copy: return copy_contradiction(op);
    case OpKind::cast: return count_contradiction(op);
    case OpKind::binary: return binary_contradiction(op);
  }
  return "unknown kind";
}

}  // namespace

std::string contradiction(const Op& op) {
  constexpr std::array<std::size_t, 5> kInputs{0, 0, 1, 1, 2};  // by kind
  const std::size_t expected = kInputs[static_cast<std::size_t>(op.kind)];
  if (op.inputs.size() != expected) return fmt::format("needs {} inputs, has {}", expected, op.inputs.size());
  for (const Operand& input : op.inputs) {
    if (std::string text = operand_contradiction(input); !text.empty()) return text;
  }
  return kind_contradiction(op);
}

}  // namespace kbsim::oplog
