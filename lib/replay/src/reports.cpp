#include "reports.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace kbsim::replay {

using oplog::Op;

std::vector<const Op*> reports_of(const oplog::OpLog& log, oplog::OpKind kind) {
  std::vector<const Op*> found;
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const Op& op : log.ops(lane)) {
      if (op.id.valid() && op.kind == kind) found.push_back(&op);
    }
  }
  std::ranges::sort(
      found, [](const Op* a, const Op* b) { return std::tie(a->end, a->id) < std::tie(b->end, b->id); });
  return found;
}

std::string text_of(const Op& op) {
  std::string text(op.data ? static_cast<std::size_t>(op.data.size()) : 0, ' ');
  if (op.data) op.data.read(0, std::as_writable_bytes(std::span{text}));
  return text;
}

}  // namespace kbsim::replay
