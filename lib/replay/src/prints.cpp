#include "kbsim/replay/prints.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbsim::replay {
namespace {

constexpr std::size_t kShown = 64;

std::vector<const oplog::Op*> in_order_of_time(const oplog::OpLog& log) {
  std::vector<const oplog::Op*> found;
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const oplog::Op& op : log.ops(lane)) {
      if (op.id.valid() && op.kind == oplog::OpKind::print) found.push_back(&op);
    }
  }
  std::ranges::sort(found, [](const oplog::Op* a, const oplog::Op* b) {
    return std::tie(a->end, a->id) < std::tie(b->end, b->id);
  });
  return found;
}

std::string_view label(const oplog::Op& op) {
  return op.data ? std::string_view{reinterpret_cast<const char*>(op.data->data()), op.data->size()} : "";
}

std::string line(const oplog::OpLog& log, const oplog::Op& op, const std::vector<double>& numbers) {
  const std::span shown = std::span{numbers}.first(std::min(kShown, numbers.size()));
  return fmt::format("[{} {}] {} {} {}: {}{}", to_string(op.end), log.lane_name(op.id.lane), label(op),
                     to_string(op.dtype), to_string(op.shape), fmt::join(shown, " "),
                     shown.size() < numbers.size() ? " ..." : "");
}

}  // namespace

std::vector<std::string> prints(const oplog::OpLog& log, Replay& replay) {
  std::vector<std::string> lines;
  for (const oplog::Op* op : in_order_of_time(log)) {
    const Buffer bytes = replay.evaluate(op->inputs[0]);
    lines.push_back(line(log, *op, to_doubles(bytes, op->dtype)));
  }
  return lines;
}

}  // namespace kbsim::replay
