#include "value_graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::replay {

using oplog::Op;
using oplog::ValueId;

void Plan::need(const ValueId& id) {
  if (known_.contains(id)) return;
  std::size_t unconnected = nodes_.size();
  add(id, nullptr);
  for (; unconnected < nodes_.size(); ++unconnected) connect(static_cast<NodeIndex>(unconnected));
}

void Plan::connect(NodeIndex node) {
  const Op* op = nodes_[node].op;
  for (const oplog::Operand& input : op->inputs) {
    for (const oplog::Slice& slice : input.slices) {
      if (!slice.value.valid() || known_.contains(slice.value)) continue;
      const NodeIndex producer = add(slice.value, op);
      NodeIndexes& producers = nodes_[node].producers;
      if (std::ranges::find(producers, producer) != producers.end()) continue;
      producers.push_back(producer);
      nodes_[producer].consumers.push_back(node);
    }
  }
}

NodeIndex Plan::add(const ValueId& id, const Op* reader) {
  const auto [it, fresh] = index_.try_emplace(id, static_cast<NodeIndex>(nodes_.size()));
  if (!fresh) return it->second;
  const Op* op = log_.find(id);
  if (op == nullptr) {
    throw InternalError{fmt::format("value {} isn't recorded, but read by {}", oplog::to_string(id),
                                    reader == nullptr ? "the host" : log_.describe(*reader))};
  }
  nodes_.push_back({.op = op, .producers = {}, .consumers = {}});
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

}  // namespace kbsim::replay
