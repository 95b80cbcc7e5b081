#include "kbsim/explain/op_marks.hpp"

#include <fmt/format.h>

namespace kbsim::explain {

OpMarks::OpMarks(Simulation& sim, oplog::OpLog& log) : sim_{sim}, log_{log} {
  if (sim_.causes() == nullptr || !log_.keeps_operations()) return;
  called_.resize(log_.lanes());
  for (std::uint32_t lane = 0; lane < log_.lanes(); ++lane)
    called_[lane].resize(log_.ops(lane).size(), sim_.now());
  log_.watch(this);
}

OpMarks::~OpMarks() { log_.watch(nullptr); }

void OpMarks::reserved(oplog::ValueId id) { called_[id.lane].push_back(sim_.now()); }

void OpMarks::recorded(const oplog::Op& op) {
  Causes& causes = *sim_.causes();
  const Cause& now = causes.current();
  if (!now || now.at() != op.end) return;
  if (op.id == kept_) kept_end_ = now;
  if (op.start == op.end) return;
  const std::uint32_t before = causes.mark(now.id());
  if (before != 0 && id(before) < op.id) return;
  ended_.push_back(op.id);
  causes.mark(now, static_cast<std::uint32_t>(ended_.size()));
}

std::string OpMarks::name(oplog::ValueId id) const {
  return fmt::format("{}:{}", log_.lane_name(id.lane), id.seq);
}

std::string OpMarks::what(oplog::ValueId id) const {
  const oplog::Op* const op = log_.find(id);
  if (op == nullptr) return "";
  return fmt::format("{} {} {}", oplog::name_of(op->kind, op->params), to_string(op->dtype),
                     to_string(op->shape));
}

}  // namespace kbsim::explain
