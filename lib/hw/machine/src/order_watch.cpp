#include "kbsim/hw/order_watch.hpp"

namespace kbsim::hw {

using oplog::Handover;

void OrderWatch::watch(std::shared_ptr<oplog::RaceTally> tally, std::function<void()> all_known) {
  tally_ = std::move(tally);
  all_known_ = std::move(all_known);
}

OrderWatch::Agent OrderWatch::made(oplog::AgentMark mark, Known first) const {
  return std::make_shared<oplog::Agent>(tally_, std::move(mark), std::move(first));
}

// A process that fork() doesn't know starts with an empty vector clock.
OrderWatch::Agent OrderWatch::here() {
  if (!on()) return nullptr;
  if (acting_) return acting_;
  const Process process = sim_.running();
  const auto [strand, added] = strands_.try_emplace(process.id());
  if (added) strand->second = {.process = process, .agent = made({}, nullptr)};
  return strand->second.agent;
}

OrderWatch::Known OrderWatch::published() { return on() ? here()->publish(Handover::nothing) : nullptr; }

OrderWatch::Known OrderWatch::both(const Known& a, const Known& b) const {
  Known all = oplog::joined(tally_, a, b);
  if (all) all->summarize();
  return all;
}

void OrderWatch::learn(const Known& known) {
  if (!on() || !known) return;
  const Agent agent = here();
  agent->learn(known);
  agent->knows()->summarize();
}

void OrderWatch::joins(const Known& end) {
  if (!on() || !end) return;
  learn(end);
  not_awaited_.erase(end);
  if (!acting_ && is_alone()) quiet();
}

// All started work has been awaited, by the only process left.
bool OrderWatch::is_alone() {
  if (!not_awaited_.empty() || !orders_.empty()) return false;
  std::erase_if(strands_, [](const auto& strand) { return strand.second.process.done(); });
  return strands_.size() == 1;
}

void OrderWatch::quiet() {
  if (!on()) return;
  strands_.clear();
  not_awaited_.clear();
  orders_.clear();
  last_.clear();
  messages_.clear();
  all_known_();
}

void OrderWatch::fork(const Process& started) {
  if (on()) strands_[started.id()] = {.process = started, .agent = made({}, published())};
}

OrderWatch::Known OrderWatch::ends() {
  if (!on()) return nullptr;
  Known known = published();
  known->summarize();
  strands_.erase(sim_.running().id());
  not_awaited_.insert(known);
  return known;
}

OrderWatch::Knowing::Knowing(OrderWatch& orders, std::span<const Known> more)
    : orders_{orders}, before_{orders.acting_} {
  if (!orders.on() || more.empty()) return;
  const Agent agent = orders.made({}, orders.published());
  for (const Known& known : more) agent->learn(known);
  orders.acting_ = agent;
}

void OrderWatch::ordered(std::uint32_t order, int rank, std::size_t pes) {
  if (!on()) return;
  orders_.emplace(
      order,
      Order{
          .rank = rank, .pes = pes, .group = made({}, nullptr), .known = here()->publish(Handover::launch)});
}

OrderWatch::Agent OrderWatch::kernel_begins(std::uint32_t order, PeCoord pe, std::string_view kernel) {
  const auto found = orders_.find(order);
  if (found == orders_.end()) return nullptr;
  const Order& of = found->second;
  const std::string_view name = *kernels_.emplace(kernel).first;
  return made({.group = of.group->mark(), .kernel = name}, after_last({pe, of.rank}, of.known));
}

// The process that ordered the launch knows of the last kernel, or hasn't awaited it.
OrderWatch::Known OrderWatch::after_last(const Turn& turn, const Known& launch) {
  const auto last = last_.find(turn);
  if (last == last_.end()) return launch;
  const oplog::Sought whole{.agent = last->second.launch.get(), .epoch = 1};
  if (!launch->has_any(std::span{&whole, 1})) {
    last->second.end->summarize();
    return joined(tally_, launch, last->second.end);
  }
  last_.erase(last);
  return launch;
}

OrderWatch::Agent OrderWatch::move_begins(std::uint32_t order) {
  const auto found = orders_.find(order);
  if (found == orders_.end()) return nullptr;
  const Order& of = found->second;
  return made({.group = of.group->mark()}, of.known);
}

void OrderWatch::ends(std::uint32_t order, PeCoord pe, const Agent& kernel) {
  if (!kernel) return;
  Order& of = orders_.at(order);
  of.ended.push_back(kernel->publish(Handover::end));
  last_[{pe, of.rank}] = {.launch = of.group->mark(), .end = of.ended.back()};
}

void OrderWatch::move_ends(std::uint32_t order, const Agent& move) {
  if (move) orders_.at(order).ended.push_back(move->publish(Handover::end));
}

OrderWatch::Known OrderWatch::all_of(const std::vector<Known>& known) const {
  Known all;
  for (const Known& one : known) all = joined(tally_, all, one);
  return all;
}

void OrderWatch::reported(std::uint32_t order) {
  const auto found = orders_.find(order);
  if (found == orders_.end()) return;
  Order& of = found->second;
  of.group->learn(of.known);
  of.group->learn(all_of(of.ended));
  of.ended.clear();
  of.end = oplog::Knowledge::of(tally_, {.agent = of.group->mark(), .epoch = 1, .by = Handover::end},
                                of.group->knows());
  of.end->summarize();
}

void OrderWatch::learn_of(std::uint32_t order) {
  const auto found = orders_.find(order);
  if (found == orders_.end()) return;
  const Known end = found->second.end;
  orders_.erase(found);
  learn(end);
}

void OrderWatch::reaches(std::uint32_t order, std::uint32_t barrier, Known known) {
  if (known) orders_.at(order).barriers[barrier].come.push_back(std::move(known));
}

OrderWatch::Known OrderWatch::passed(std::uint32_t order, std::uint32_t barrier) {
  const auto found = orders_.find(order);
  if (found == orders_.end()) return nullptr;
  Order& of = found->second;
  Barrier& passed = of.barriers[barrier];
  if (!passed.all) {
    passed.all = all_of(passed.come);
    passed.come.clear();
    if (passed.all) passed.all->summarize();
  }
  Known all = passed.all;
  if (++passed.passed == of.pes) of.barriers.erase(barrier);
  return all;
}

void OrderWatch::sent(topology::PhysAddr ring, std::uint64_t sequence, Known known) {
  if (known) messages_[{ring.bits(), sequence}] = std::move(known);
}

OrderWatch::Known OrderWatch::received(topology::PhysAddr ring, std::uint64_t sequence) {
  if (!on()) return nullptr;
  const auto message = messages_.extract({ring.bits(), sequence});
  return message.empty() ? nullptr : std::move(message.mapped());
}

}  // namespace kbsim::hw
