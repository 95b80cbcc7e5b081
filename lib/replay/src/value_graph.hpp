#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "kbsim/oplog/log.hpp"

#include "values.hpp"

namespace kbsim::replay {

using NodeIndex = std::uint32_t;
using NodeIndexes = boost::container::small_vector<NodeIndex, 2>;

/// An operation to execute: which others it waits for, and which wait for it.
struct Node {
  const oplog::Op* op = nullptr;
  NodeIndexes producers;  // each once
  NodeIndexes consumers;
};

/// The operations that some values need, as a graph; known values need nothing.
class Plan {
 public:
  Plan(const oplog::OpLog& log, const ByValue<Value>& known) : log_{log}, known_{known} {}

  /// Adds a value and, transitively, all that it needs. Throws InternalError if one isn't recorded.
  void need(const oplog::ValueId& id);

  [[nodiscard]] const oplog::OpLog& log() const { return log_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const ByValue<Value>& known() const { return known_; }
  [[nodiscard]] NodeIndex index(const oplog::ValueId& id) const { return index_.find(id)->second; }

 private:
  NodeIndex add(const oplog::ValueId& id, const oplog::Op* reader);
  void connect(NodeIndex node);

  const oplog::OpLog& log_;
  const ByValue<Value>& known_;
  std::vector<Node> nodes_;
  ByValue<NodeIndex> index_;
};

}  // namespace kbsim::replay
