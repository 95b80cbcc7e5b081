#include "kbsim/replay/replay.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include <boost/asio/thread_pool.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"

#include "execution.hpp"

namespace kbsim::replay {
namespace {

const WorkKind kReplay{"replay"};

unsigned helpers(unsigned threads) {
  return (threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads) - 1;
}

Digest digest_of(const Buffer& value) { return Digest{}.add_bytes(value).add(value.size()); }

std::vector<oplog::ValueId> recorded(const oplog::OpLog& log) {
  std::vector<oplog::ValueId> ids;
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) {
    for (const oplog::Op& op : log.ops(lane)) {
      if (op.id.valid()) ids.push_back(op.id);
    }
  }
  return ids;
}

}  // namespace

struct Replay::Impl {
  Impl(const oplog::OpLog& recorded, unsigned threads) : log{recorded}, helpers{replay::helpers(threads)} {}

  void execute(const Plan& plan, Execution::Keep keep, const Execution::Observer& observer) {
    const WorkScope scope{kReplay};
    if (plan.nodes().empty()) return;
    Execution execution{plan, keep, ledger, literals, observer};
    const auto count = [&] { executed += static_cast<std::int64_t>(execution.executed()); };
    try {
      const std::size_t needed = std::min<std::size_t>(helpers, plan.nodes().size() - 1);
      if (needed > 0 && !pool) pool.emplace(helpers);
      execution.run(needed > 0 ? &*pool : nullptr, needed);
    } catch (...) {
      count();
      throw;
    }
    count();
  }

  const oplog::OpLog& log;
  const unsigned helpers;
  std::optional<boost::asio::thread_pool> pool;  // from the first work for two on
  Ledger ledger;
  Literals literals{ledger};
  std::mutex evaluating;
  ByValue<Value> held;
  std::int64_t executed = 0;
};

Replay::Replay(const oplog::OpLog& log, unsigned threads) : impl_{std::make_unique<Impl>(log, threads)} {}
Replay::~Replay() = default;

Buffer Replay::evaluate(const oplog::Operand& what) {
  const std::scoped_lock lock{impl_->evaluating};
  Plan plan{impl_->log, impl_->held};
  for (const oplog::Slice& slice : what.slices) {
    if (slice.value.valid()) plan.need(slice.value);
  }
  std::vector<Value> made(plan.nodes().size());
  impl_->execute(plan, Execution::Keep::all, [&](NodeIndex node, const Value& value) { made[node] = value; });
  for (NodeIndex node = 0; node < made.size(); ++node) {
    if (made[node]) impl_->held.emplace(plan.nodes()[node].op->id, std::move(made[node]));
  }
  Value literal;
  return gather(what, [&](const oplog::ValueId& id) -> const Value& {
    const auto held = impl_->held.find(id);
    return held != impl_->held.end() ? held->second : literal = impl_->literals.of(*impl_->log.find(id));
  });
}

Digest Replay::run() {
  const ByValue<Value> none_held;
  Plan plan{impl_->log, none_held};
  const std::vector<oplog::ValueId> ids = recorded(impl_->log);
  for (const oplog::ValueId& id : ids) plan.need(id);
  std::vector<Digest> digests(ids.size());
  impl_->execute(plan, Execution::Keep::until_last_use, [&](NodeIndex node, const Value& value) {
    digests[node] = digest_of(value ? *value : *impl_->literals.of(*plan.nodes()[node].op));
  });
  Digest digest;
  for (const oplog::ValueId& id : ids) {
    digest.add(id.lane).add(id.seq).add(digests[plan.index(id)].value());
  }
  return digest;
}

void Replay::release_all() { impl_->held.clear(); }

Counters Replay::counters() const {
  return {
      .executed = impl_->executed, .live = Bytes{impl_->ledger.live()}, .peak = Bytes{impl_->ledger.peak()}};
}

}  // namespace kbsim::replay
