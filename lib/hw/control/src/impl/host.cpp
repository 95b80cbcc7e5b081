#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/tl/wait_ids.hpp"

#include "../access_records.hpp"

namespace kbsim::hw {
namespace {

struct HostSpec {
  static void describe(FieldList<HostSpec>&) {}
};

/// The root complex: host programs act on the machine only through its messages.
class Host : public Component, public IHost, public IRepeatable {
 public:
  Host(Fabric& fabric, NodeId id, HostSpec) : Component{fabric, id} {}

  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;
  [[nodiscard]] ServiceContract contract() override { return {.packets = ServiceContract::Packets::counted}; }

  [[nodiscard]] Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents,
                             std::shared_ptr<const void> held) override;
  [[nodiscard]] Task<oplog::Slices> read(int rank, NodeId memory, std::int64_t address, Bytes bytes) override;
  [[nodiscard]] Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job) override;
  [[nodiscard]] OrderNumber number_launch(int rank) override;
  [[nodiscard]] Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job,
                                     OrderNumber number) override;
  void abandon(const std::shared_ptr<const ControlJob>& job,
               std::vector<std::shared_ptr<const void>> what) override;
  [[nodiscard]] std::vector<OpenOrder> open_orders() const override;
  [[nodiscard]] std::vector<OrderRecord> orders() const override;
  void visit(RepeatVisitor& visitor) override;

 private:
  struct Call {
    Event done;
    oplog::Slices contents;
    Activity activity;
    OrderWait wait = {};                                 // of an order
    std::shared_ptr<const ControlJob> job = nullptr;     // of an order
    Time sent = {};                                      // of an order
    std::size_t record = 0;                              // of a write or a read
    oplog::IssuePtr issue = {};                          // of a write or a read, if races are looked for
    bool abandoned = false;                              // no longer awaited
    std::vector<std::shared_ptr<const void>> kept = {};  // kept alive for a write or an abandoned order
  };
  using Calls = std::map<Token, std::unique_ptr<Call>>;
  class Awaited;
  Task<> acknowledged(Awaited call);
  Task<oplog::Slices> answered(Awaited call);
  Task<Activity> reported(Awaited call);
  void answered(const Call& access);
  void written(const WriteAck& ack);
  void came(ReadData& data);
  void ended(const ControlDone& done);
  void note(const Call& sent, Token token) const;
  void note(const Call& ended);
  void goes_on(const Call& call);
  void number_again(std::size_t first);
  [[nodiscard]] const PeCoord& place_of(NodeId memory) const { return fabric().graph().node(memory).at; }
  Calls::value_type& call(const Identity& what);
  void end(Token token);
  void abandon(Token token);

  RaceWatch* races_ = nullptr;
  Calls calls_;
  Token next_token_ = 0;
  std::map<int, int> orders_;              // number so far, by rank
  std::map<int, std::uint32_t> launches_;  // launches among these
  std::vector<OrderRecord> done_;
  AccessRecords accesses_;
};

/// Handle of an awaited call; when the awaiting coroutine is destroyed, the call is abandoned.
class Host::Awaited {
 public:
  Awaited(Host& host, Token token) : host_{&host}, token_{token} {}
  Awaited(Awaited&& other) noexcept : host_{std::exchange(other.host_, nullptr)}, token_{other.token_} {}
  Awaited& operator=(Awaited&&) = delete;
  ~Awaited() {
    if (host_ != nullptr) host_->abandon(token_);
  }
  [[nodiscard]] Token token() const { return token_; }

 private:
  Host* host_;
  Token token_;
};

bool is_launch(const ControlJob& job) {
  return !job.targets.empty() && std::holds_alternative<Launch>(job.targets.front().action);
}

bool touches_memory(const ControlJob& job) {
  return is_launch(job) ||
         (!job.targets.empty() && std::holds_alternative<MoveBytes>(job.targets.front().action));
}

void Host::start(Machine& machine) {
  Component::start(machine);
  races_ = &machine.races();
}

Host::Calls::value_type& Host::call(const Identity& what) {
  const Token token = ++next_token_;
  return *calls_.emplace(token, std::unique_ptr<Call>{new Call{.done = {sim(), what}}}).first;
}

Task<> Host::write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents,
                   std::shared_ptr<const void> held) {
  const auto& [token, waiting] = call(CommandWait{"MemoryWrite"});
  waiting->record = accesses_.sent(OrderPhase::memory_write, rank, place_of(memory), sim().now());
  if (held) waiting->kept.push_back(std::move(held));
  waiting->issue = races_->issue(races_->orders().here());
  races_->begin(
      {.op = contents.value, .write = true, .call = "write", .at = {}, .issue = waiting->issue, .rank = rank},
      {.memory = memory, .address = address}, Bytes{contents.bytes});
  send_message(memory, Bytes{contents.bytes}, TrafficClass::request,
               WriteData{.address = address, .contents = contents, .reply_to = id(), .token = token},
               static_cast<std::uint32_t>(rank));
  return acknowledged({*this, token});
}

Task<> Host::acknowledged(Awaited call) {
  Call& waiting = *calls_.at(call.token());
  co_await waiting.done.wait();
  goes_on(waiting);
  calls_.erase(call.token());
}

Task<oplog::Slices> Host::read(int rank, NodeId memory, std::int64_t address, Bytes bytes) {
  const auto& [token, waiting] = call(CommandWait{"MemoryRead"});
  waiting->record = accesses_.sent(OrderPhase::memory_read, rank, place_of(memory), sim().now());
  waiting->issue = races_->issue(races_->orders().here());
  races_->begin({.op = {}, .call = "read", .at = {}, .issue = waiting->issue, .rank = rank},
                {.memory = memory, .address = address}, bytes);
  send_message(memory, fabric().graph().spec().system.control_bytes, TrafficClass::request,
               ReadRequest{.address = address, .bytes = bytes, .reply_to = id(), .token = token},
               static_cast<std::uint32_t>(rank));
  return answered({*this, token});
}

Task<oplog::Slices> Host::answered(Awaited call) {
  Call& waiting = *calls_.at(call.token());
  co_await waiting.done.wait();
  goes_on(waiting);
  const oplog::Slices contents = std::move(waiting.contents);
  calls_.erase(call.token());
  co_return contents;
}

OrderNumber Host::number_launch(int rank) { return {.order = ++orders_[rank], .launch = ++launches_[rank]}; }

Task<Activity> Host::order(int rank, int sip, std::shared_ptr<const ControlJob> job) {
  const OrderNumber number = is_launch(*job) ? number_launch(rank) : OrderNumber{.order = ++orders_[rank]};
  return order(rank, sip, std::move(job), number);
}

Task<Activity> Host::order(int rank, int sip, std::shared_ptr<const ControlJob> job, OrderNumber number) {
  const OrderWait wait{.rank = rank, .number = number.order};
  const auto& [token, waiting] = call(wait);
  waiting->wait = wait;
  waiting->job = job;
  waiting->sent = sim().now();
  if (fabric().spans() != nullptr) note(*waiting, token);
  if (touches_memory(*job)) races_->orders().ordered(token, rank, job->targets.size());
  Bytes size = fabric().graph().spec().system.control_bytes;
  for (const ControlTarget& target : job->targets) size += target.size;
  send_message(fabric().graph().sips()[static_cast<std::size_t>(sip)].io_cpu, size, TrafficClass::request,
               Control{.job = job,
                       .first = 0,
                       .last = job->targets.size(),
                       .token = token,
                       .order = token,
                       .number = number.launch},
               static_cast<std::uint32_t>(rank));
  return reported({*this, token});
}

// The host program knows from here on that the call is done.
void Host::goes_on(const Call& call) {
  if (call.issue) call.issue->awaited_by(races_->orders().here());
}

Task<Activity> Host::reported(Awaited call) {
  Call& waiting = *calls_.at(call.token());
  co_await waiting.done.wait();
  races_->orders().learn_of(call.token());
  const Activity activity = waiting.activity;
  calls_.erase(call.token());
  co_return activity;
}

void Host::abandon(const std::shared_ptr<const ControlJob>& job,
                   std::vector<std::shared_ptr<const void>> what) {
  const auto order = std::ranges::find_if(calls_, [&](const auto& call) { return call.second->job == job; });
  if (order == calls_.end()) return;
  order->second->kept = std::move(what);
}

// A resumed call has erased itself. Tensors that are destroyed with a call give orders, so it leaves the map
// first.
void Host::abandon(Token token) {
  const auto call = calls_.find(token);
  if (call == calls_.end()) return;
  if (call->second->done.is_set()) return (void)calls_.extract(call);
  call->second->abandoned = true;
}

void Host::end(Token token) {
  Call& call = *calls_.at(token);
  call.done.set();
  if (!call.abandoned) return;
  goes_on(call);
  (void)calls_.extract(token);
}

// Sorted by first PE, then by call: calls of several ranks at one time arrive in any order.
std::vector<OpenOrder> Host::open_orders() const {
  std::map<std::pair<PeCoord, Token>, OpenOrder> orders;
  for (const auto& [token, call] : calls_) {
    if (call->job != nullptr)
      orders.emplace(std::pair{call->job->targets.front().pe, token},
                     OpenOrder{.wait = call->wait, .job = call->job});
  }
  std::vector<OpenOrder> all;
  for (auto& [key, order] : orders) all.push_back(std::move(order));
  return all;
}

std::vector<OrderRecord> Host::orders() const {
  std::vector<OrderRecord> all = done_;
  std::ranges::move(accesses_.finished(), std::back_inserter(all));
  std::ranges::sort(all, {}, [](const OrderRecord& order) {
    return std::tuple{order.sent, order.rank, order.number, order.phase, order.sip};
  });
  return all;
}

void Host::visit(RepeatVisitor& visitor) {
  visitor.rests(calls_.empty());
  const std::size_t first = done_.size();
  visitor.records(done_, [](OrderRecord& order, Time by) { order = shifted(std::move(order), by); });
  number_again(first);
  accesses_.visit(visitor);
  for (auto& [rank, orders] : orders_) visitor.count(orders);
  for (auto& [rank, launches] : launches_) visitor.count(launches);
}

// Copies of earlier orders, from `first` on, come after all orders of their rank.
void Host::number_again(std::size_t first) {
  const std::span copies = std::span{done_}.subspan(first);
  std::map<int, int> lowest;
  for (const OrderRecord& order : copies) {
    const auto known = lowest.try_emplace(order.rank, order.number).first;
    known->second = std::min(known->second, order.number);
  }
  for (OrderRecord& order : copies) order.number += orders_[order.rank] + 1 - lowest[order.rank];
}

void Host::note(const Call& sent, Token token) const {
  const OrderRecord order = record_of(*sent.job);
  Bytes bytes;
  for (const ControlTarget& target : sent.job->targets) bytes += target.size;
  fabric().spans()->open(
      &sent,
      {.kind = SpanKind::order,
       .rank = sent.wait.rank,
       .what = order.phase == OrderPhase::kernel ? std::string_view{order.kernel_name} : order.phase_name(),
       .detail = order.phase_name(),
       .start = sim().now(),
       .bytes = bytes,
       .count = sent.job->targets.size(),
       .id = token,
       .to = is_launch(*sent.job) ? SpanFlow{SpanFlow::Kind::launch, token, 0} : SpanFlow{}});
}

void Host::note(const Call& ended) {
  OrderRecord record = record_of(*ended.job);
  record.rank = ended.wait.rank;
  record.number = ended.wait.number;
  record.sent = ended.sent;
  record.reported = sim().now();
  record.activity = ended.activity;
  if (sim().causes() != nullptr) record.why = sim().causes()->current();
  done_.push_back(std::move(record));
}

Task<> Host::run() {
  for (;;) {
    const MessagePtr message = co_await in().receive();
    if (const auto* ack = message->body.get_if<WriteAck>())
      written(*ack);
    else if (auto* data = message->body.get_if<ReadData>())
      came(*data);
    else if (const auto* done = message->body.get_if<ControlDone>())
      ended(*done);
    else
      refuse(*message);
  }
}

void Host::answered(const Call& access) {
  const Causes* const causes = sim().causes();
  accesses_.answered(access.record, sim().now(), causes != nullptr ? causes->current() : Cause{});
}

void Host::written(const WriteAck& ack) {
  const Call& waiting = *calls_.at(ack.token);
  races_->end(waiting.issue);
  answered(waiting);
  end(ack.token);
}

void Host::came(ReadData& data) {
  Call& waiting = *calls_.at(data.token);
  races_->end(waiting.issue);
  answered(waiting);
  waiting.contents = std::move(data.contents);
  end(data.token);
}

void Host::ended(const ControlDone& done) {
  Call& waiting = *calls_.at(done.token);
  waiting.activity = done.activity;
  if (ISpans* const spans = fabric().spans()) spans->close(&waiting, sim().now());
  note(waiting);
  races_->orders().reported(done.token);
  end(done.token);
}

}  // namespace

KBSIM_COMPONENT("builtin.host", NodeKind::host, Host, HostSpec, "root complex, where host programs run");

}  // namespace kbsim::hw
