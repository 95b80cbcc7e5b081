#include "kbsim/explain/op_marks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kbsim::explain {

OpMarks::OpMarks(Simulation& sim, oplog::OpLog& log) : sim_{sim}, log_{log} {
  if (sim_.causes() == nullptr || !log_.keeps_operations()) return;
  called_.resize(log_.lanes());
  calls_.resize(log_.lanes());
  for (std::uint32_t lane = 0; lane < log_.lanes(); ++lane) {
    called_[lane].resize(log_.ops(lane).size(), sim_.now());
    calls_[lane].resize(log_.ops(lane).size());
  }
  log_.watch(this);
}

OpMarks::~OpMarks() { log_.watch(nullptr); }

void OpMarks::reserved(oplog::ValueId id) {
  called_[id.lane].push_back(sim_.now());
  calls_[id.lane].push_back(0);
}

// There are about a dozen names.
std::uint8_t OpMarks::place_of(std::string_view call) {
  const auto known = std::ranges::find(names_, call);
  const auto place = known - names_.begin();
  if (known == names_.end()) names_.push_back(call);
  return static_cast<std::uint8_t>(place + 1);
}

std::string_view OpMarks::call_of(const oplog::Op& op) const {
  const std::uint8_t place = calls_.empty() ? 0 : calls_[op.id.lane][op.id.seq];
  return place == 0 ? oplog::name_of(op.kind, op.params) : names_[place - 1U];
}

void OpMarks::recorded(const oplog::Op& op, std::string_view call) {
  if (!call.empty()) calls_[op.id.lane][op.id.seq] = place_of(call);
  Causes& causes = *sim_.causes();
  const Cause& now = causes.current();
  if (!now || now.at() != op.end) return;
  if (op.id == kept_) kept_end_ = now;
  if (op.start == op.end) return;
  const std::uint32_t before = causes.moments().mark(now.id());
  if (before != 0 && id(before) < op.id) return;
  ended_.push_back(op.id);
  causes.moments().mark(now.id(), static_cast<std::uint32_t>(ended_.size()));
}

std::string OpMarks::name(oplog::ValueId id) const {
  return fmt::format("{}:{}", log_.lane_name(id.lane), id.seq);
}

std::string OpMarks::what(oplog::ValueId id) const {
  const oplog::Op* const op = log_.find(id);
  if (op == nullptr) return "";
  return fmt::format("{} {} {}", call_of(*op), to_string(op->dtype), to_string(op->shape));
}

}  // namespace kbsim::explain
