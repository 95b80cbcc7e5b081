#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "kbsim/base/standing.hpp"

#include "compute.hpp"
#include "literals.hpp"
#include "value_graph.hpp"

namespace kbsim::replay {

/// Executes a plan on several threads. Among ready operations, those that come first by their ends in the
/// record go first, so that about as much memory is in use as the machine used.
class Execution {
 public:
  enum class Keep { all, until_last_use };
  /// Gets each value as it is made, on the thread that made it; null for a literal that isn't kept.
  using Observer = std::function<void(NodeIndex, const Value&)>;

  Execution(const Plan& plan, Keep keep, Ledger& ledger, Literals& literals, Observer observer);

  /// Uses the calling thread and `helpers` of the pool, which may be null for none. If operations fail, the
  /// others that don't need them are executed all the same, and the error of the first is thrown. Interrupted
  /// after a signal that asks for the end (StopSignals).
  void run(boost::asio::thread_pool* pool, std::size_t helpers);

  [[nodiscard]] std::size_t executed() const { return executed_; }

 private:
  struct Later {
    const Plan* plan;
    bool operator()(NodeIndex a, NodeIndex b) const;
  };
  struct Failure {
    NodeIndex node;
    std::exception_ptr error;
  };

  static constexpr std::int64_t kLookEvery = std::int64_t{16} << 20;  // bytes of values

  void work();
  void execute(NodeIndex node, std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Value compute(NodeIndex node);
  [[nodiscard]] const Value& value(const oplog::ValueId& id) const;
  void complete(NodeIndex node, Value value);
  void release(NodeIndex node);
  void fail(NodeIndex node, std::exception_ptr error);

  const Plan& plan_;
  const Keep keep_;
  Ledger& ledger_;
  Literals& literals_;
  const Observer observer_;
  Stage stage_;
  HostWork work_;

  std::mutex mutex_;  // guards what follows; values are read without it, but only after completion
  std::condition_variable wake_;  // Asio's pool doesn't know which ready operation goes first
  std::priority_queue<NodeIndex, std::vector<NodeIndex>, Later> ready_;
  std::size_t running_ = 0;
  std::size_t executed_ = 0;
  bool stopped_ = false;  // a signal has asked for the end: nothing more is begun
  std::optional<Failure> failure_;
  bool full_ = false;               // the process holds more memory than it may: nothing more is begun
  std::int64_t look_at_ = 0;        // bytes of values, at which the process's memory is looked at
  std::vector<std::size_t> waits_;  // by node: producers not yet completed
  std::vector<std::size_t> uses_;   // by node: consumers not yet completed
  std::vector<Value> values_;       // by node
};

}  // namespace kbsim::replay
