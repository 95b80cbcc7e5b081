#include "dma_reads.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"

#include "../trains/taken_packets.hpp"

namespace kbsim::hw {

// Begins if all transfers that wait or are under way are reads of one class.
bool DmaReads::begin() {
  constexpr std::uint32_t kFewTries = 16;
  DmaQueue& queue = reads();
  if (pause_ > 0) return --pause_, false;
  if (queue.burst.message != nullptr || others_wait()) return false;
  if (!queue.policy->takes_first() || !pays(queue)) return false;
  pause_ = kFewTries;
  if (schedule_ == nullptr) schedule_ = std::make_unique<ReadSchedule>();
  if (!schedule_->fits(fabric_, engine_.site(), *queue.waiting.front(), engine_.spec().request)) return false;
  const bool turns = engine_.turn().queue != kClass;
  const PeDmaSpec& spec = engine_.spec();
  const ReadSchedule::Terms terms{
      .request = spec.request,
      .window = spec.most_in_flight(),
      .chunk = spec.vc_chunk,
      .pace = engine_.port().serialization(fabric_.graph().spec().system.control_bytes)};
  const ReadSchedule::Port port{.free = engine_.port_free(), .turn_left = turns ? 0_B : engine_.turn().left};
  const bool begun =
      engine_.requests().empty() ? schedule_->begin(terms, port, *this) : take_over(terms, port);
  if (!begun) return false;
  pause_ = 0;
  ++number_;
  for (const ReadSchedule::ReservedTransfer& reserved : schedule_->reserved()) {
    if (reserved.whole) wake_at(schedule_->read(reserved.end - 1).answered);
  }
  return go_on();
}

bool DmaReads::others_wait() {
  const auto waits = [&](const DmaQueue& other) { return &other != &reads() && !other.waiting.empty(); };
  return std::ranges::any_of(engine_.queues(), waits);
}

void DmaReads::wake_at(Time at) { engine_.post(at, {.kind = DmaWork::Kind::planned, .token = number_}); }

// True if enough reads wait to be reserved.
bool DmaReads::pays(const DmaQueue& queue) {
  constexpr std::size_t kFewReads = 64;
  std::size_t reads = 0;
  for (std::size_t i = 0; i < queue.waiting.size() && reads < kFewReads; ++i) {
    const Transfer& transfer = *queue.waiting[i];
    if (!transfer.only_reads()) break;
    reads += transfer.pieces().size() - transfer.next_index();
  }
  return reads >= kFewReads;
}

bool DmaReads::finishes(const TransferPtr& transfer) const {
  const auto is_it = [&](const ReadSchedule::ReservedTransfer& reserved) {
    return reserved.transfer == transfer;
  };
  return active() && std::ranges::any_of(schedule_->reserved(), is_it);
}

// Begins a schedule that continues the reads under way.
bool DmaReads::take_over(const ReadSchedule::Terms& terms, const ReadSchedule::Port& port) {
  std::size_t coming = 0;
  for (const DmaRequests::Request& request : engine_.requests().records()) {
    if (request.transfer == nullptr) continue;
    if (!request.transfer->only_reads()) return false;
    if (request.reserved == kForever) ++coming;
  }
  for (const NodeId node : {engine_.site().dma, schedule_->memory(), engine_.site().tcm}) {
    if (!fabric_.component(node).inbox().awaited()) return false;
  }
  TakenPackets taken{fabric_, schedule_->links(),
                     [this](const Message& message) { return is_mine(message); }};
  const auto alone = [this](const Packet* packet) {
    const auto* const read = packet->message->body.get_if<ReadRequest>();
    const Bytes data = read != nullptr ? read->bytes : packet->message->size;
    return fabric_.packet_size(data) == data;
  };
  const bool all = taken.all().size() == coming && std::ranges::all_of(taken.all(), alone);
  if (!all || !schedule_->begin(terms, port, *this)) return taken.put_back(), false;
  add_answers();
  add_packets({taken.all().begin(), taken.all().end()});
  taken.forget();
  return true;
}

// True for a read request to the schedule's slice, and for its data.
bool DmaReads::is_mine(const Message& message) const {
  if (message.to == schedule_->memory() && message.from == engine_.site().dma)
    return message.body.holds<ReadRequest>();
  return message.from == schedule_->memory() && message.to == engine_.site().tcm &&
         message.body.holds<ReadData>();
}

// Adds the reads whose data is in TCM. Their answers are events.
void DmaReads::add_answers() {
  PoolVector<std::pair<Time, Bytes>> answers;
  for (const DmaRequests::Request& request : engine_.requests().records()) {
    if (request.transfer != nullptr && request.reserved != kForever)
      answers.emplace_back(request.reserved, request.window);
  }
  std::ranges::sort(answers);
  for (const auto& [reserved, window] : answers) schedule_->add_answered(reserved, window);
}

// Adds the reads whose packets are under way, in the order in which they were sent: data before requests.
[[gnu::always_inline]] void DmaReads::add_packets(PoolVector<Packet*> packets) {
  const auto order = [](const Packet* packet) {
    return std::pair{packet->message->body.holds<ReadRequest>(), packet->message->sent};
  };
  std::ranges::sort(packets, {}, order);
  DmaQueue& queue = reads();
  PoolVector<TransferPtr> sent;
  for (Packet* const packet : packets) {
    Message& message = *packet->message;
    auto* const data = message.body.get_if<ReadData>();
    const ReadRequest* const read = message.body.get_if<ReadRequest>();
    const Token token = data != nullptr ? data->token : read->token;
    const DmaRequests::Request request = engine_.requests().at(token);
    engine_.requests().erase(token);
    queue.outstanding -= request.window;
    --request.transfer->progress.unanswered;
    const auto first =
        static_cast<std::uint32_t>(data != nullptr ? ReadPath::Stage::leaving : ReadPath::Stage::dma);
    schedule_->add_sent(request.transfer,
                        {.address = data != nullptr ? 0 : read->address,
                         .offset = request.offset,
                         .bytes = data != nullptr ? message.size : read->bytes,
                         .window = request.window},
                        {.stage = static_cast<ReadPath::Stage>(first + packet->hop),
                         .head = packet->head,
                         .tail = packet->tail,
                         .left = message.sent,
                         .left_tail = message.source_tail},
                        data != nullptr ? std::move(data->contents) : oplog::Slices{});
    if (request.transfer->all_sent() && (sent.empty() || sent.back() != request.transfer))
      sent.push_back(request.transfer);
  }
  queue.waiting.insert(queue.waiting.begin(), sent.begin(), sent.end());
}

// A read whose slot was in an earlier batch of this time has been sent.
bool DmaReads::go_on() {
  DmaQueue& queue = reads();
  const Cut here{
      .at = engine_.now(), .arrivals = true, .lates = true, .sends = engine_.batch() > 1, .answers = true};
  if (others_wait()) return end(here), false;
  const auto wake = [this](Time at) { wake_at(at); };
  switch (schedule_->go_on(engine_.now(), {queue.waiting.data(), queue.waiting.size()}, wake)) {
    case ReadSchedule::Next::reserved: return true;
    case ReadSchedule::Next::stuck: return end(here), false;
    case ReadSchedule::Next::nothing: break;
  }
  leave_port(schedule_->end());
  if (broken_ > 0) --broken_;
  return true;
}

// Finishes transfers whose last answer has arrived.
void DmaReads::is_due(Token number) {
  DmaQueue& queue = reads();
  while (number == number_ && active() && !schedule_->reserved().empty() &&
         schedule_->ends_by(schedule_->reserved().front(), engine_.now())) {
    const ReadSchedule::ReservedTransfer done = std::move(schedule_->reserved().front());
    schedule_->reserved().pop_front();
    queue.waiting.erase(queue.waiting.begin());
    record_contents(done, done.end);
    engine_.finish(*done.transfer);
  }
}

[[gnu::always_inline]] void DmaReads::record_contents(const ReadSchedule::ReservedTransfer& reserved,
                                                      std::uint64_t end) {
  const bool keeps = engine_.site().log->keeps_operations();
  for (std::uint64_t i = reserved.first; i < end; ++i) {
    const ReadSchedule::Read& read = schedule_->read(i);
    if (!schedule_->was_sent_before(i)) engine_.use().read += read.bytes;
    if (keeps) reserved.transfer->answered(read.offset, schedule_->contents(i));
  }
}

// Reads that have been sent continue hop by hop; the others wait to be sent.
void DmaReads::end(const Cut& cut) {
  DmaQueue& queue = reads();
  PoolDeque<ReadSchedule::ReservedTransfer>& reserved = schedule_->reserved();
  PoolVector<TransferPtr> ended;
  const ReadSchedule::Port port =
      schedule_->stop(cut, [&](std::uint64_t i, const ReadPath::ReadState& where) {
        while (!reserved.empty() && i >= reserved.front().end) reserved.pop_front();
        if (reserved.empty() || i < reserved.front().first) return;
        const ReadSchedule::ReservedTransfer& of = reserved.front();
        continue_read(of.transfer, i, where, cut);
        if (of.whole && i + 1 == of.end && of.transfer->progress.unanswered == 0)
          ended.push_back(of.transfer);
      });
  reserved.clear();
  leave_port(port);
  queue.picked = false;
  while (!queue.waiting.empty() && queue.waiting.front()->all_sent())
    queue.waiting.erase(queue.waiting.begin());
  for (const TransferPtr& transfer : ended) engine_.finish(*transfer);
}

void DmaReads::leave_port(const ReadSchedule::Port& port) {
  engine_.port_free() = port.free;
  if (port.used) engine_.turn() = {.queue = kClass, .left = port.turn_left};
}

// Continues, without the schedule, a read that has been sent and perhaps answered.
[[gnu::always_inline]] void DmaReads::continue_read(const TransferPtr& transfer, std::uint64_t index,
                                                    const ReadPath::ReadState& where, const Cut& cut) {
  const ReadSchedule::Read& read = schedule_->read(index);
  if (!schedule_->was_sent_before(index)) {
    transfer->advance(read.bytes);
    engine_.use().read += read.bytes;
  }
  const bool in_tcm = where.stage == ReadPath::Stage::answered;
  if (in_tcm && (where.head < cut.at || (where.head == cut.at && cut.answers))) {
    if (engine_.site().log->keeps_operations()) transfer->answered(read.offset, schedule_->contents(index));
    return;
  }
  const Token token = engine_.requests().next();
  ++transfer->progress.unanswered;
  engine_.queue_of(transfer->traffic_class()).outstanding += read.window;
  engine_.requests().add({.transfer = transfer, .offset = read.offset, .window = read.window});
  if (in_tcm) return engine_.data_loaded(where.head, token, schedule_->contents(index));
  schedule_->resume(index, token, where);
}

std::optional<Lane::Slot> DmaReads::yield(LiveLink& link, const Packet& packet, Time) {
  Cut here = by_now();
  here.met = &link;
  here.port = std::max(packet.port, 1U);
  break_off(here);
  return std::nullopt;
}

void DmaReads::flush() { break_off(by_now()); }

// Events of this time have happened once its late phase has begun.
Cut DmaReads::by_now() const {
  const bool late = fabric_.sim().scheduler().lates().begun(fabric_.sim().now());
  return {.at = engine_.now(), .arrivals = late, .lates = late, .sends = late, .answers = late};
}

// Schedules that yield in a row double the pause before the next one.
void DmaReads::break_off(const Cut& cut) {
  constexpr std::uint32_t kMost = 10;
  end(cut);
  pause_ = 1U << broken_;
  broken_ = std::min(broken_ + 1, kMost);
  engine_.wake();
}

}  // namespace kbsim::hw
