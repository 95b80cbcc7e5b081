#include "log_check.hpp"

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/oplog/op_table.hpp"

#include "shape_checks.hpp"

namespace kbsim::oplog {
namespace {

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

std::string input_count_contradiction(const Op& op, const OpRow& row) {
  const std::size_t has = op.inputs.size();
  if (row.least <= has && has <= row.most) return {};
  return fmt::format("needs {}, has {}", counted(row.least, "input"), has);
}

}  // namespace

std::string contradiction(const Op& op) {
  const OpRow& row = row_of(op.kind);
  if (std::string text = input_count_contradiction(op, row); !text.empty()) return text;
  for (const Operand& input : op.inputs) {
    if (std::string text = operand_contradiction(input); !text.empty()) return text;
  }
  return row.contradiction(op);
}

}  // namespace kbsim::oplog
