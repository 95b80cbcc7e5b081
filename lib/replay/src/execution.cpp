#include "execution.hpp"

#include <deque>
#include <latch>
#include <tuple>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/stop.hpp"

namespace kbsim::replay {

bool Execution::Later::operator()(NodeIndex a, NodeIndex b) const {
  const oplog::Op& x = *plan->nodes()[a].op;
  const oplog::Op& y = *plan->nodes()[b].op;
  return std::tie(x.end, x.id) > std::tie(y.end, y.id);
}

Execution::Execution(const Plan& plan, Keep keep, Ledger& ledger, Literals& literals, Observer observer)
    : plan_{plan},
      keep_{keep},
      ledger_{ledger},
      literals_{literals},
      observer_{std::move(observer)},
      stage_{"operations", plan.nodes().size()},
      work_{"computing the numbers", "operations", plan.nodes().size()},
      ready_{Later{&plan}},
      values_(plan.nodes().size()) {
  for (const Node& node : plan.nodes()) {
    if (node.producers.empty()) ready_.push(static_cast<NodeIndex>(waits_.size()));
    waits_.push_back(node.producers.size());
    uses_.push_back(node.consumers.size());
  }
}

void Execution::run(boost::asio::thread_pool* pool, std::size_t helpers) {
  std::latch done{static_cast<std::ptrdiff_t>(helpers)};
  for (std::size_t i = 0; i < helpers; ++i) {
    boost::asio::post(*pool, [&] {
      work();
      done.count_down();
    });
  }
  work();
  done.wait();
  if (failure_) std::rethrow_exception(failure_->error);
  if (stopped_)
    throw Interrupted{
        fmt::format("interrupted; {} of {} operations have been computed", executed_, values_.size())};
  ensure(executed_ == values_.size(), "operations of the log wait for one another in a circle");
}

void Execution::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    wake_.wait(lock, [&] { return !ready_.empty() || running_ == 0; });
    stopped_ = stopped_ || stop_signal() != 0;
    if (ready_.empty() || full_ || stopped_) return;
    const NodeIndex node = ready_.top();
    ready_.pop();
    ++running_;
    execute(node, lock);
    --running_;
    if (running_ == 0 || ready_.size() > 1) wake_.notify_all();
  }
}

void Execution::execute(NodeIndex node, std::unique_lock<std::mutex>& lock) {
  const bool looks = ledger_.live() >= look_at_;
  if (looks) look_at_ = ledger_.live() + kLookEvery;
  lock.unlock();
  Value made;
  std::exception_ptr error;
  bool full = looks;  // unless the check passes
  try {
    if (looks) require_memory("computing the numbers");
    full = false;
    made = compute(node);
    observer_(node, made);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  full_ = full_ || full;
  if (error) return fail(node, std::move(error));
  complete(node, std::move(made));
}

Value Execution::compute(NodeIndex node) {
  const oplog::Op& op = *plan_.nodes()[node].op;
  std::deque<Value> made;  // of literals, as long as this operation reads them
  const Lookup lookup = [&](const oplog::ValueId& id) -> const Value& {
    const Value& known = value(id);
    return known ? known : made.emplace_back(literals_.of(*plan_.nodes()[plan_.index(id)].op));
  };
  try {
    return replay::compute(op, lookup, ledger_);
  } catch (const KernelFault& e) {
    throw KernelFault{plan_.log().describe(op) + ": " + e.what()};
  } catch (const Unsupported& e) {
    throw Unsupported{plan_.log().describe(op) + ": " + e.what()};
  } catch (const InternalError& e) {
    throw InternalError{plan_.log().describe(op) + ": " + e.what()};
  }
}

const Value& Execution::value(const oplog::ValueId& id) const {
  const auto known = plan_.known().find(id);
  return known != plan_.known().end() ? known->second : values_[plan_.index(id)];
}

void Execution::complete(NodeIndex node, Value value) {
  values_[node] = std::move(value);
  ++executed_;
  stage_.ended();
  work_.ended();
  for (const NodeIndex producer : plan_.nodes()[node].producers) {
    if (--uses_[producer] == 0) release(producer);
  }
  if (uses_[node] == 0) release(node);
  for (const NodeIndex consumer : plan_.nodes()[node].consumers) {
    if (--waits_[consumer] == 0) ready_.push(consumer);
  }
}

void Execution::release(NodeIndex node) {
  if (keep_ == Keep::until_last_use) values_[node].reset();
}

void Execution::fail(NodeIndex node, std::exception_ptr error) {
  if (!failure_ || Later{&plan_}(failure_->node, node)) failure_ = {node, std::move(error)};
}

}  // namespace kbsim::replay
