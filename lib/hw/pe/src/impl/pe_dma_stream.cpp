// How pe_dma reserves reads ahead: when a stream of them begins, the reads that it takes over, and how it
// ends.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kbsim/hw/fabric/taken_packets.hpp"
#include "kbsim/sim/pool_allocator.hpp"

#include "pe_dma.hpp"

namespace kbsim::hw {

// Begins a stream if all transfers that wait or are under way are reads of one class. Links are claimed for a
// burst or for a stream, never for both.
bool PeDma::begins_stream() {
  constexpr std::uint32_t kFewTries = 16;
  ClassQueue& queue = reserved_queue();
  if (runs()) return false;
  if (paced_ != nullptr && paced_->holds()) return false;
  if (pause_ > 0) return --pause_, false;
  const auto waits = [&](const ClassQueue& other) { return &other != &queue && !other.waiting.empty(); };
  if (queue.burst.message != nullptr || std::ranges::any_of(*queues_, waits)) return false;
  if (!queue.policy->takes_first() || !pays(queue)) return false;
  pause_ = kFewTries;
  if (stream_ == nullptr) stream_ = std::make_unique<ReadStream>();
  if (!stream_->fits(fabric(), site_, *queue.waiting.front(), spec_.request)) return false;
  const bool turns = turn_ != kReservedClass;
  const ReadStream::Terms terms{.request = spec_.request,
                                .window = spec_.most_in_flight(),
                                .chunk = spec_.vc_chunk,
                                .pace = port_.serialization(fabric().graph().spec().system.control_bytes)};
  const ReadStream::Port port{.free = port_free_, .turn_left = turns ? 0_B : turn_left_};
  const bool begun = requests_.empty() ? stream_->begin(terms, port, *this) : takes_over(terms, port);
  if (!begun) return false;
  pause_ = 0;
  ++streams_;
  for (const ReadStream::ReservedTransfer& reserved : stream_->reserved()) {
    if (reserved.whole)
      work_.post(stream_->read(reserved.end - 1).answered, {.kind = Work::Kind::reserved, .token = streams_});
  }
  return streams_on();
}

// Whether enough reads wait to be reserved.
bool PeDma::pays(const ClassQueue& queue) {
  constexpr std::size_t kFewReads = 64;
  std::size_t reads = 0;
  for (std::size_t i = 0; i < queue.waiting.size() && reads < kFewReads; ++i) {
    const Transfer& transfer = *queue.waiting[i];
    if (!transfer.only_reads()) break;
    reads += transfer.pieces().size() - transfer.next_index();
  }
  return reads >= kFewReads;
}

// Reads under way continue in the stream.
bool PeDma::takes_over(const ReadStream::Terms& terms, const ReadStream::Port& port) {
  std::size_t coming = 0;
  for (const DmaRequests::Request& request : requests_.records()) {
    if (request.transfer == nullptr) continue;
    if (!request.transfer->only_reads()) return false;
    if (request.reserved == kForever) ++coming;
  }
  for (const NodeId node : {site_.dma, stream_->memory(), site_.tcm}) {
    if (!fabric().component(node).inbox().awaited()) return false;
  }
  TakenPackets taken{fabric(), stream_->links(), [this](const Message& message) { return is_mine(message); }};
  const auto alone = [this](const Packet* packet) {
    const auto* const read = packet->message->body.get_if<ReadRequest>();
    const Bytes data = read != nullptr ? read->bytes : packet->message->size;
    return fabric().packet_size(data) == data;
  };
  const bool all = taken.all().size() == coming && std::ranges::all_of(taken.all(), alone);
  if (!all || !stream_->begin(terms, port, *this)) return taken.put_back(), false;
  follow_answers();
  follow_packets({taken.all().begin(), taken.all().end()});
  taken.forget();
  return true;
}

// A read request to the stream's slice, or its data.
bool PeDma::is_mine(const Message& message) const {
  if (message.to == stream_->memory() && message.from == site_.dma) return message.body.holds<ReadRequest>();
  return message.from == stream_->memory() && message.to == site_.tcm && message.body.holds<ReadData>();
}

// Adds the reads whose data is in TCM; events answer these.
void PeDma::follow_answers() {
  PoolVector<std::pair<Time, Bytes>> answers;
  for (const DmaRequests::Request& request : requests_.records()) {
    if (request.transfer != nullptr && request.reserved != kForever)
      answers.emplace_back(request.reserved, request.window);
  }
  std::ranges::sort(answers);
  for (const auto& [reserved, window] : answers) stream_->follows_answer(reserved, window);
}

// In the order in which they were sent: data before requests.
[[gnu::always_inline]] void PeDma::follow_packets(PoolVector<Packet*> packets) {
  const auto order = [](const Packet* packet) {
    return std::pair{packet->message->body.holds<ReadRequest>(), packet->message->sent};
  };
  std::ranges::sort(packets, {}, order);
  ClassQueue& queue = reserved_queue();
  PoolVector<TransferPtr> sent;
  for (Packet* const packet : packets) {
    Message& message = *packet->message;
    auto* const data = message.body.get_if<ReadData>();
    const ReadRequest* const read = message.body.get_if<ReadRequest>();
    const Token token = data != nullptr ? data->token : read->token;
    const DmaRequests::Request request = requests_.at(token);
    requests_.erase(token);
    queue.outstanding -= request.window;
    --request.transfer->progress.unanswered;
    const auto first =
        static_cast<std::uint32_t>(data != nullptr ? ReadLanes::Place::leaving : ReadLanes::Place::dma);
    stream_->follows(request.transfer,
                     {.address = data != nullptr ? 0 : read->address,
                      .offset = request.offset,
                      .bytes = data != nullptr ? message.size : read->bytes,
                      .window = request.window},
                     {.place = static_cast<ReadLanes::Place>(first + packet->hop),
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

// False if the stream has ended, and other traffic may be sent now. A read that had its turn in an earlier
// batch of this time has been sent.
bool PeDma::streams_on() {
  ClassQueue& queue = reserved_queue();
  const auto waits = [&](const ClassQueue& other) { return &other != &queue && !other.waiting.empty(); };
  const bool sends = sim().scheduler().batch() > 1;
  const Reached here{.at = sim().now(), .arrivals = true, .lates = true, .sends = sends, .answers = true};
  if (std::ranges::any_of(*queues_, waits)) return end_stream(here), false;
  const auto come_at = [this](Time at) { work_.post(at, {.kind = Work::Kind::reserved, .token = streams_}); };
  switch (stream_->go_on(sim().now(), {queue.waiting.data(), queue.waiting.size()}, come_at)) {
    case ReadStream::Next::reserved: return true;
    case ReadStream::Next::stuck: return end_stream(here), false;
    case ReadStream::Next::nothing: break;
  }
  leave_port(stream_->end());
  if (broken_ > 0) --broken_;
  return true;
}

// Finishes transfers whose last answer has arrived.
void PeDma::finish_reserved() {
  ClassQueue& queue = reserved_queue();
  while (streams() && !stream_->reserved().empty() &&
         stream_->ends_by(stream_->reserved().front(), sim().now())) {
    const ReadStream::ReservedTransfer done = std::move(stream_->reserved().front());
    stream_->reserved().pop_front();
    queue.waiting.erase(queue.waiting.begin());
    record_contents(done, done.end);
    finish(*done.transfer);
  }
}

[[gnu::always_inline]] void PeDma::record_contents(const ReadStream::ReservedTransfer& reserved,
                                                   std::uint64_t end) {
  const bool keeps = site_.log->keeps_operations();
  for (std::uint64_t i = reserved.first; i < end; ++i) {
    const ReadStream::Read& read = stream_->read(i);
    if (!stream_->was_sent_before(i)) use_.read += read.bytes;
    if (keeps) reserved.transfer->answered(read.offset, stream_->contents(i));
  }
}

// Reads that have been sent continue hop by hop; the others wait to be sent.
void PeDma::end_stream(const Reached& reached) {
  ClassQueue& queue = reserved_queue();
  PoolDeque<ReadStream::ReservedTransfer>& reserved = stream_->reserved();
  PoolVector<TransferPtr> ended;
  const ReadStream::Port port = stream_->stop(reached, [&](std::uint64_t i, const ReadLanes::Moving& where) {
    while (!reserved.empty() && i >= reserved.front().end) reserved.pop_front();
    if (reserved.empty() || i < reserved.front().first) return;
    const ReadStream::ReservedTransfer& of = reserved.front();
    goes_on(of.transfer, i, where, reached);
    if (of.whole && i + 1 == of.end && of.transfer->progress.unanswered == 0) ended.push_back(of.transfer);
  });
  reserved.clear();
  leave_port(port);
  queue.picked = false;
  while (!queue.waiting.empty() && queue.waiting.front()->all_sent())
    queue.waiting.erase(queue.waiting.begin());
  for (const TransferPtr& transfer : ended) finish(*transfer);
}

void PeDma::leave_port(const ReadStream::Port& port) {
  port_free_ = port.free;
  if (!port.used) return;
  turn_left_ = port.turn_left;
  turn_ = kReservedClass;
}

// A read that has been sent, and perhaps answered.
[[gnu::always_inline]] void PeDma::goes_on(const TransferPtr& transfer, std::uint64_t index,
                                           const ReadLanes::Moving& where, const Reached& reached) {
  const ReadStream::Read& read = stream_->read(index);
  if (!stream_->was_sent_before(index)) {
    transfer->advance(read.bytes);
    use_.read += read.bytes;
  }
  const bool in_tcm = where.place == ReadLanes::Place::answered;
  if (in_tcm && (where.head < reached.at || (where.head == reached.at && reached.answers))) {
    if (site_.log->keeps_operations()) transfer->answered(read.offset, stream_->contents(index));
    return;
  }
  const Token token = requests_.next();
  ++transfer->progress.unanswered;
  queue_of(*transfer).outstanding += read.window;
  requests_.add({.transfer = transfer, .offset = read.offset, .window = read.window});
  if (in_tcm) return loaded(where.head, token, stream_->contents(index));
  stream_->resume(index, token, where);
}

std::optional<Lane::Slot> PeDma::give_way(LiveLink& link, const Packet& packet, Time overhead) {
  if (!streams()) {
    const std::optional<Lane::Slot> between = paced_->between(link, packet, overhead);
    if (!between) end_runs();
    return between;
  }
  const bool late = sim().scheduler().late_begun();
  break_stream({.at = sim().now(),
                .arrivals = late,
                .lates = late,
                .sends = late,
                .answers = late,
                .met = &link,
                .port = std::max(packet.port, 1U)});
  return std::nullopt;
}

void PeDma::settle() {
  if (!streams()) return end_runs();
  const bool late = sim().scheduler().late_begun();
  break_stream({.at = sim().now(), .arrivals = late, .lates = late, .sends = late, .answers = late});
}

// The more streams in a row are broken, the later the next one begins.
void PeDma::break_stream(const Reached& reached) {
  constexpr std::uint32_t kMost = 10;
  end_stream(reached);
  pause_ = 1U << broken_;
  broken_ = std::min(broken_ + 1, kMost);
  if (std::exchange(wakes_, true)) return;
  work_.post(std::max(port_free_, sim().now()), {.kind = Work::Kind::port_free, .token = reserved_wakes_});
}

}  // namespace kbsim::hw
