#include "kbsim/replay/prints.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports.hpp"

namespace kbsim::replay {
namespace {

constexpr std::size_t kShown = 64;

std::string line(const oplog::OpLog& log, const oplog::Op& op, const std::vector<double>& numbers) {
  const std::span shown = std::span{numbers}.first(std::min(kShown, numbers.size()));
  return fmt::format("[{} {}] {} {} {}: {}{}", to_string(op.end), log.lane_name(op.id.lane), text_of(op),
                     to_string(op.dtype), to_string(op.shape), fmt::join(shown, " "),
                     shown.size() < numbers.size() ? " ..." : "");
}

}  // namespace

std::vector<std::string> prints(const oplog::OpLog& log, Replay& replay) {
  std::vector<std::string> lines;
  for (const oplog::Op* op : reports_of(log, oplog::OpKind::print)) {
    const Buffer bytes = replay.evaluate(op->inputs[0]);
    lines.push_back(line(log, *op, to_doubles(bytes, op->dtype)));
  }
  return lines;
}

}  // namespace kbsim::replay
