#include "kbsim/oplog/op.hpp"

#include <fmt/format.h>

namespace kbsim::oplog {

std::string to_string(const ValueId& id) {
  return id.valid() ? fmt::format("{}:{}", id.lane, id.seq) : "none";
}

std::string_view name_of(OpKind kind, const Parameters& params) {
  switch (kind) {
    case OpKind::unary: return to_string(params.unary);
    case OpKind::binary: return to_string(params.binary);
    case OpKind::ternary: return to_string(params.ternary);
    case OpKind::reduce: return to_string(params.reduce);
    default: return to_string(kind);
  }
}

}  // namespace kbsim::oplog
