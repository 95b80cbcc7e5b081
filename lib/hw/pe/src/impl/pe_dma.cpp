#include <algorithm>
#include <array>
#include <memory>

#include <boost/container/devector.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/fabric/taken_packets.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_request_policy.hpp"
#include "kbsim/hw/pe/i_tcm.hpp"
#include "kbsim/sim/pool_allocator.hpp"

#include "../dma_requests.hpp"
#include "../read_stream.hpp"
#include "../transfers/ordered_move.hpp"

namespace kbsim::hw {
namespace {

struct PeDmaSpec {
  int max_outstanding = 16;
  Bytes vc_chunk{256};
  Bytes request{4096};
  std::string policy = "in_order";
  static void describe(FieldList<PeDmaSpec>& f) {
    f.add("max_outstanding", &PeDmaSpec::max_outstanding, at_least(1),
          "requests of request_bytes in flight in a class of traffic; smaller ones count by their bytes");
    f.add("vc_chunk_size", &PeDmaSpec::vc_chunk, at_least(1),
          "bytes before the next class of traffic has its turn");
    f.add("request_bytes", &PeDmaSpec::request, at_least(1), "largest read request or write burst");
    f.add("request_policy", &PeDmaSpec::policy,
          "which transfer of a class sends the next request: in_order or round_robin, or one of a plug-in");
  }
};

/// Sends the requests of transfers, and packets of these, by turns: each class of traffic keeps at most
/// `max_outstanding` requests in flight, of which a smaller one is a part, in lines of 256 B; the classes
/// take turns every `vc_chunk` bytes, queue traffic as its QueueSet says; within a class the request policy
/// decides. So a flow whose answers take `loop` to come back has at most max_outstanding * request / loop.
class PeDma : public Component, public IDma, private ILinkHold {
 public:
  PeDma(Fabric& fabric, NodeId id, const PeDmaSpec& spec);

  void start(Machine& machine) override;

  void submit(Time at, TransferPtr transfer) override {
    work_.post(at, {.kind = Work::Kind::begin, .transfer = std::move(transfer)});
  }
  void loaded(Time at, Token token, oplog::Slices contents) override {
    DmaRequests::Request& request = requests_.at(token);
    request.contents = std::move(contents);
    request.told = at;
    work_.post(at, {.kind = Work::Kind::answer, .token = token});
  }
  [[nodiscard]] DmaUse moved() const override;

 private:
  // A message whose packets are leaving one by one.
  struct Burst {
    Message* message = nullptr;
    Bytes left{};
  };
  // What waits of a class of traffic.
  struct ClassQueue {
    std::unique_ptr<IRequestPolicy> policy;                // from its first transfer on
    boost::container::devector<TransferPtr> waiting = {};  // in the order of their begins
    std::size_t next = 0;  // of these, who sends the next request, or is sending one
    bool picked = false;
    Burst burst;
    Bytes outstanding;  // of the window
    Cause room = {};    // why it is no more, if causes are kept
    Bytes freed = {};   // by that
    [[nodiscard]] Transfer& sender() const { return *waiting[next]; }
  };
  struct Work {
    enum class Kind : std::uint8_t { begin, answer, sent, port_free, told };
    Kind kind;
    Token token = 0;            // of an answer; the number of a stream that tells of this time
    TransferPtr transfer = {};  // that begins, or has left
  };

  Task<> run();
  void wake_when_free();
  void take(std::vector<Work>& work);
  void explain_turn(const ClassQueue& queue);
  void note_rivals(const ClassQueue& chosen, const Cause& turn);
  [[nodiscard]] bool needed_room(const ClassQueue& queue) const;
  void explain(const Transfer& transfer, Bytes freed);
  void explain_port(Bytes sent, bool from_tcm);
  void begin(TransferPtr transfer);
  void note(const Transfer& transfer) const;
  void answered(Token token);
  void finish(Transfer& transfer);
  void accept(MessagePtr message) override;
  void obey(NodeId from, const Control& order);

  [[nodiscard]] ClassQueue& queue_of(const Transfer& transfer) {
    return queues_[static_cast<std::size_t>(transfer.traffic_class())];
  }
  [[nodiscard]] ClassQueue* next_queue();
  [[nodiscard]] bool may_send(ClassQueue& queue) const;
  [[nodiscard]] bool may_send_later(const ClassQueue& queue) const;
  [[nodiscard]] bool has_room(const ClassQueue& queue, const Transfer& sender) const;
  [[nodiscard]] Bytes turn_of(const ClassQueue& queue) const;
  [[nodiscard]] Bytes window_of(Bytes request) const;

  // Reads told ahead.
  [[nodiscard]] bool streams() const { return stream_ != nullptr && stream_->active(); }
  [[nodiscard]] bool begins_stream();
  [[nodiscard]] bool takes_over(const ReadStream::Terms& terms, const ReadStream::Port& port);
  [[nodiscard]] static bool pays(const ClassQueue& queue);
  [[nodiscard]] bool is_mine(const Message& message) const;
  void follow_answers();
  void follow_packets(std::vector<Packet*> packets);
  [[nodiscard]] bool streams_on();
  void finish_told();
  void tell_contents(const ReadStream::Told& told, std::uint64_t end);
  void end_stream(const Reached& reached);
  void goes_on(const TransferPtr& transfer, std::uint64_t index, const ReadLanes::Moving& where,
               const Reached& reached);
  void leave_port(const ReadStream::Port& port);
  void give_way(const LiveLink& link, const Packet& packet) override;
  void settle() override;
  void break_stream(const Reached& reached);

  Time send_next(ClassQueue& queue);
  Time ask(ClassQueue& queue, DmaRequest&& request, Bytes bytes);
  Time send_whole(ClassQueue& queue, DmaRequest&& request, Bytes bytes);
  Time send_packet(ClassQueue& queue);
  void remember(ClassQueue& queue, const DmaRequest& request, Bytes bytes);
  void sent(ClassQueue& queue, Bytes bytes, Time left_tcm);

  PeDmaSpec spec_;
  const RequestPolicyEntry* policy_;
  ITcm* tcm_ = nullptr;
  const IMmu* mmu_ = nullptr;
  DmaSite site_;
  RaceWatch* races_ = nullptr;
  Bandwidth port_;
  Time port_free_{};
  Cause port_why_;  // if causes are kept
  Mailbox<Work> work_;
  std::array<ClassQueue, kTrafficClasses> queues_;
  std::size_t turn_ = 0;
  Bytes turn_left_;
  bool wakes_ = false;  // when the port is free
  DmaRequests requests_;
  std::unique_ptr<ReadStream> stream_;  // from the first on
  Token streams_ = 0;                   // that have begun
  std::uint32_t pause_ = 0;             // so many times none begins
  std::uint32_t broken_ = 0;            // the next pause is 2^broken_ long
  Time told_ = kForever;                // when the host was told last that an order is done
  std::uint64_t begun_ = 0;             // transfers
  std::uint64_t done_ = 0;              // of these
  Time busy_since_{};                   // if some aren't
  DmaUse use_;
};

PeDma::PeDma(Fabric& fabric, NodeId id, const PeDmaSpec& spec)
    : Component{fabric, id},
      spec_{spec},
      policy_{request_policies().find(spec.policy)},
      port_{fabric.graph().spec().pe.link},
      work_{fabric.sim(), name() + " work"},
      turn_left_{spec.vc_chunk} {
  if (policy_ == nullptr) {
    throw ConfigError{
        node().model->place_of({"request_policy"}), name() + ".request_policy",
        "unknown request policy '" + spec.policy + "'" + name_hint(spec.policy, request_policies().names())};
  }
}

void PeDma::start(Machine& machine) {
  Component::start(machine);
  site_ = {.graph = &machine.graph(),
           .log = &machine.log(),
           .dma = id(),
           .tcm = machine.graph().pe(node().at).tcm};
  tcm_ = &machine.at<ITcm>(site_.tcm);
  mmu_ = &machine.at<IMmu>(machine.graph().pe(node().at).mmu);
  races_ = &machine.races();
  (void)sim().serve(name() + " engine", run());
}

void PeDma::accept(MessagePtr message) {
  if (const auto* ack = message->body.get_if<WriteAck>()) {
    work_.post(sim().now(), {.kind = Work::Kind::answer, .token = ack->token});
  } else if (const auto* order = message->body.get_if<Control>()) {
    obey(message->from, *order);
  } else {
    Component::accept(std::move(message));
  }
}

// Of what may be in flight, each of two parts is half.
void PeDma::obey(NodeId from, const Control& order) {
  const Bytes part = std::max(Bytes{1}, spec_.request * spec_.max_outstanding / 2);
  const oplog::AgentPtr mover = races_->orders().move_begins(order.order);
  const oplog::IssuePtr issue = races_->issue(mover);
  const auto report = [this, from, token = order.token, number = order.order, mover, issue,
                       start = sim().now()] {
    if (issue) issue->awaited();
    races_->orders().move_ends(number, mover);
    told_ = sim().now();
    tell(from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
         ControlDone{.token = token, .activity = {start, start, sim().now()}});
  };
  std::make_shared<OrderedMove>(
      OrderedMove::Units{.sim = &sim(), .dma = this, .mmu = mmu_, .unit = id(), .issue = issue},
      std::get<MoveBytes>(order.job->targets[order.first].action), part, order.order, report)
      ->begin();
}

// Decides late, so that what arrives at one time is seen together; sends a packet when the port is free.
Task<> PeDma::run() {
  std::vector<Work> work;
  for (;;) {
    co_await work_.collect(work);
    take(work);
    if (streams() && streams_on()) continue;
    if (sim().now() >= port_free_) {
      if (begins_stream()) continue;
      ClassQueue* const queue = next_queue();
      if (queue == nullptr) continue;
      if (sim().causes() != nullptr) explain_turn(*queue);
      port_free_ = sim().now() + send_next(*queue);
    }
    if (!wakes_) wake_when_free();
  }
}

// Unless nobody could send then: whatever changes that comes here first.
void PeDma::wake_when_free() {
  const auto may = [this](const ClassQueue& queue) { return may_send_later(queue); };
  wakes_ = !fabric().books_ahead() || std::ranges::any_of(queues_, may);
  if (!wakes_) return;
  if (sim().causes() != nullptr) sim().causes()->because(port_why_);
  work_.post(port_free_, {.kind = Work::Kind::port_free});
}

// What sends now waited for the last of these: its beginning, the port, room in the window. Who comes before
// a turn may be chosen, who comes behind it not.
void PeDma::explain_turn(const ClassQueue& queue) {
  Causes& causes = *sim().causes();
  Cause last = causes.latest(queue.sender().progress.why, port_why_);
  if (needed_room(queue) || later(last, queue.room).id() != last.id())
    last = waited(causes, last, queue.room, Reason::window_free, id());
  ensure(last && last.at() == sim().now(), [&] { return name() + " sends for no reason"; });
  causes.comes_next(server(Reason::dma_port, id().value()), last);
  if (causes.keeps_all()) note_rivals(queue, last);
  causes.set_current(last);
}

// Another class that could send now, too, would have its turn if it could do so before.
void PeDma::note_rivals(const ClassQueue& chosen, const Cause& turn) {
  Causes& causes = *sim().causes();
  for (const ClassQueue& rival : queues_) {
    if (&rival == &chosen || rival.waiting.empty()) continue;
    const Cause ready = causes.latest(rival.waiting.front()->progress.why, port_why_);
    if (ready.at() != turn.at()) continue;
    causes.comes_next(server(Reason::dma_pace, id().value()), turn);
    causes.comes_next(server(Reason::dma_pace, id().value()), ready);
  }
}

// What it sends next would be too much without the last answer.
bool PeDma::needed_room(const ClassQueue& queue) const {
  if (queue.burst.message != nullptr || !queue.room) return false;
  const Bytes next = window_of(queue.sender().next_bytes(spec_.request));
  const Bytes all = queue.outstanding + queue.freed + next;
  return ceil_div(all.count(), spec_.request.count()) > spec_.max_outstanding;
}

// The port is taken by what has been sent, at the pace of the slower of TCM and link.
void PeDma::explain_port(Bytes sent, bool from_tcm) {
  Causes& causes = *sim().causes();
  const Time link = port_.serialization(sent);
  const Time pace = from_tcm ? tcm_->pace(sent) : Time{0};
  const Reason reason = pace > link ? Reason::dma_pace : Reason::dma_port;
  port_why_ = causes.make(sim().now() + std::max(link, pace), causes.current(), why(reason, id(), sent));
}

void PeDma::take(std::vector<Work>& work) {
  PoolVector<TransferPtr> begins;
  const bool explains = sim().causes() != nullptr;
  for (std::size_t i = 0; i < work.size(); ++i) {
    Work& item = work[i];
    if (explains) sim().causes()->set_current(work_.collected()[i]);
    if (item.kind == Work::Kind::begin && explains) item.transfer->progress.why = work_.collected()[i];
    if (item.kind == Work::Kind::begin) begins.push_back(std::move(item.transfer));
    if (item.kind == Work::Kind::answer) answered(item.token);
    if (item.kind == Work::Kind::sent) finish(*item.transfer);
    if (item.kind == Work::Kind::port_free) wakes_ = false;
    if (item.kind == Work::Kind::told && item.token == streams_ && streams()) finish_told();
  }
  work.clear();
  std::ranges::sort(begins, {}, [](const TransferPtr& transfer) { return transfer->origin().order; });
  for (TransferPtr& transfer : begins) {
    if (explains) sim().causes()->set_current(transfer->progress.why);
    begin(std::move(transfer));
  }
}

void PeDma::begin(TransferPtr transfer) {
  transfer->progress.start = sim().now();
  if (begun_ == done_) busy_since_ = sim().now();
  transfer->progress.number = ++begun_;
  if (fabric().spans() != nullptr) note(*transfer);
  if (transfer->pieces().empty()) return finish(*transfer);
  if (races_->on()) {
    if (const auto access = transfer->access()) {
      transfer->progress.atomic = access->atomic;
      if (!access->atomic) races_->begin(*access, transfer->pieces());
    }
  }
  if (Causes* const causes = sim().causes()) {
    causes->comes_next(server(Reason::dma_port, id().value()), transfer->progress.why);
    causes->met(transfer.get());
  }
  ClassQueue& queue = queue_of(*transfer);
  if (queue.policy == nullptr) queue.policy = policy_->make();
  queue.waiting.push_back(std::move(transfer));
}

void PeDma::note(const Transfer& transfer) const {
  const Transfer::Origin& origin = transfer.origin();
  Bytes bytes;
  for (const Piece& piece : transfer.pieces()) bytes += piece.memory.bytes;
  const std::string_view call = transfer.traffic_class() == TrafficClass::ipcq ? "send" : "transfer";
  fabric().spans()->open(&transfer, {.kind = SpanKind::transfer,
                                     .unit = id(),
                                     .what = origin.call.empty() ? call : origin.call,
                                     .at = origin.pending ? origin.pending->at() : std::source_location{},
                                     .start = sim().now(),
                                     .bytes = bytes,
                                     .id = origin.value.seq});
}

void PeDma::answered(Token token) {
  DmaRequests::Request& request = requests_.at(token);
  const TransferPtr transfer = std::move(request.transfer);
  queue_of(*transfer).outstanding -= request.window;
  if (sim().causes() != nullptr) explain(*transfer, request.window);
  if (site_.log->keeps_operations()) transfer->answered(request.offset, request.contents);
  requests_.erase(token);
  if (--transfer->progress.unanswered > 0 || !transfer->all_sent()) return;
  const auto is_it = [&](const ReadStream::Told& told) { return told.transfer == transfer; };
  if (!streams() || std::ranges::none_of(stream_->told(), is_it)) finish(*transfer);
}

// Its last answer ends it.
void PeDma::explain(const Transfer& transfer, Bytes freed) {
  Causes& causes = *sim().causes();
  ClassQueue& queue = queue_of(transfer);
  queue.room = causes.current();
  queue.freed = freed;
  causes.found_met(&transfer);
  causes.met(&transfer);
}

void PeDma::finish(Transfer& transfer) {
  if (ISpans* const spans = fabric().spans()) spans->close(&transfer, sim().now());
  if (++done_ == begun_) use_.busy += sim().now() - busy_since_;
  races_->end(transfer.origin().issue);
  transfer.finish(site_, sim().now());
}

DmaUse PeDma::moved() const {
  fabric().settle();
  DmaUse use = use_;
  if (done_ < begun_) use.busy += sim().now() - busy_since_;
  return use;
}

// The class whose turn it is, else the next that may send.
PeDma::ClassQueue* PeDma::next_queue() {
  if (turn_left_ <= 0_B || !may_send(queues_[turn_])) {
    for (std::size_t i = 1; i <= queues_.size(); ++i) {
      const std::size_t candidate = (turn_ + i) % queues_.size();
      if (!may_send(queues_[candidate])) continue;
      turn_ = candidate;
      turn_left_ = turn_of(queues_[turn_]);
      return &queues_[turn_];
    }
    return nullptr;
  }
  return &queues_[turn_];
}

// Queue traffic has turns as long as its algorithm says.
Bytes PeDma::turn_of(const ClassQueue& queue) const {
  const Bytes own = queue.sender().vc_chunk();
  return own > 0_B ? own : spec_.vc_chunk;
}

bool PeDma::may_send(ClassQueue& queue) const {
  if (queue.waiting.empty()) return false;
  if (!std::exchange(queue.picked, true))
    queue.next = queue.policy->pick({queue.waiting.data(), queue.waiting.size()});
  ensure(queue.next < queue.waiting.size(), "a request policy picked a transfer that isn't waiting");
  return has_room(queue, queue.sender());
}

// If nothing changes; true also where only its policy knows who sends.
bool PeDma::may_send_later(const ClassQueue& queue) const {
  if (queue.waiting.empty()) return false;
  if (queue.picked) return has_room(queue, queue.sender());
  return !queue.policy->takes_first() || has_room(queue, *queue.waiting.front());
}

bool PeDma::has_room(const ClassQueue& queue, const Transfer& sender) const {
  if (queue.burst.message != nullptr || queue.outstanding == 0_B) return true;
  const Bytes with_next = queue.outstanding + window_of(sender.next_bytes(spec_.request));
  return ceil_div(with_next.count(), spec_.request.count()) <= spec_.max_outstanding;
}

Bytes PeDma::window_of(Bytes request) const { return ReadStream::window_of(request, spec_.request); }

// If all that waits and is under way are reads of one class.
bool PeDma::begins_stream() {
  constexpr std::uint32_t kFewTries = 16;
  ClassQueue& queue = queues_[static_cast<std::size_t>(TrafficClass::request)];
  if (queue.waiting.empty() || !fabric().books_ahead() || !fabric().is_whole()) return false;
  if (pause_ > 0) return --pause_, false;
  const auto waits = [&](const ClassQueue& other) { return &other != &queue && !other.waiting.empty(); };
  if (queue.burst.message != nullptr || std::ranges::any_of(queues_, waits)) return false;
  if (!queue.policy->takes_first() || !pays(queue)) return false;
  pause_ = kFewTries;
  if (stream_ == nullptr) stream_ = std::make_unique<ReadStream>();
  if (!stream_->fits(fabric(), site_, *queue.waiting.front(), spec_.request)) return false;
  const bool turns = turn_ != static_cast<std::size_t>(TrafficClass::request);
  const ReadStream::Terms terms{.request = spec_.request,
                                .window = spec_.request * spec_.max_outstanding,
                                .chunk = spec_.vc_chunk,
                                .pace = port_.serialization(fabric().graph().spec().system.control_bytes)};
  const ReadStream::Port port{.free = port_free_, .turn_left = turns ? 0_B : turn_left_};
  const bool begun = requests_.empty() ? stream_->begin(terms, port, *this) : takes_over(terms, port);
  if (!begun) return false;
  pause_ = 0;
  ++streams_;
  for (const ReadStream::Told& told : stream_->told()) {
    if (told.whole)
      work_.post(stream_->read(told.end - 1).answered, {.kind = Work::Kind::told, .token = streams_});
  }
  return streams_on();
}

// Whether it has enough to tell.
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

// Reads under way go on in the stream.
bool PeDma::takes_over(const ReadStream::Terms& terms, const ReadStream::Port& port) {
  std::size_t coming = 0;
  for (const DmaRequests::Request& request : requests_.records()) {
    if (request.transfer == nullptr) continue;
    if (!request.transfer->only_reads()) return false;
    if (request.told == kForever) ++coming;
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

// A read of its slice, or the data.
bool PeDma::is_mine(const Message& message) const {
  if (message.to == stream_->memory() && message.from == site_.dma) return message.body.holds<ReadRequest>();
  return message.from == stream_->memory() && message.to == site_.tcm && message.body.holds<ReadData>();
}

// Those that are in TCM are answered by events.
void PeDma::follow_answers() {
  std::vector<std::pair<Time, Bytes>> answers;
  for (const DmaRequests::Request& request : requests_.records()) {
    if (request.transfer != nullptr && request.told != kForever)
      answers.emplace_back(request.told, request.window);
  }
  std::ranges::sort(answers);
  for (const auto& [told, window] : answers) stream_->follows_answer(told, window);
}

// In the order in which they were sent: data before requests.
void PeDma::follow_packets(std::vector<Packet*> packets) {
  const auto order = [](const Packet* packet) {
    return std::pair{packet->message->body.holds<ReadRequest>(), packet->message->sent};
  };
  std::ranges::sort(packets, {}, order);
  ClassQueue& queue = queues_[static_cast<std::size_t>(TrafficClass::request)];
  std::vector<TransferPtr> sent;
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

// False if it has ended, and something else may be sent now.
bool PeDma::streams_on() {
  ClassQueue& queue = queues_[static_cast<std::size_t>(TrafficClass::request)];
  const auto waits = [&](const ClassQueue& other) { return &other != &queue && !other.waiting.empty(); };
  const Reached here{.at = sim().now(), .arrivals = true, .lates = true, .answers = true};
  if (std::ranges::any_of(queues_, waits)) return end_stream(here), false;
  const auto come_at = [this](Time at) { work_.post(at, {.kind = Work::Kind::told, .token = streams_}); };
  switch (stream_->go_on(sim().now(), {queue.waiting.data(), queue.waiting.size()}, come_at)) {
    case ReadStream::Next::told: return true;
    case ReadStream::Next::stuck: return end_stream(here), false;
    case ReadStream::Next::nothing: break;
  }
  leave_port(stream_->end());
  if (broken_ > 0) --broken_;
  return true;
}

// Transfers whose last answer has come.
void PeDma::finish_told() {
  ClassQueue& queue = queues_[static_cast<std::size_t>(TrafficClass::request)];
  while (streams() && !stream_->told().empty() && stream_->ends_by(stream_->told().front(), sim().now())) {
    const ReadStream::Told done = std::move(stream_->told().front());
    stream_->told().pop_front();
    queue.waiting.erase(queue.waiting.begin());
    tell_contents(done, done.end);
    finish(*done.transfer);
  }
}

void PeDma::tell_contents(const ReadStream::Told& told, std::uint64_t end) {
  const bool keeps = site_.log->keeps_operations();
  for (std::uint64_t i = told.first; i < end; ++i) {
    const ReadStream::Read& read = stream_->read(i);
    if (!stream_->was_sent_before(i)) use_.read += read.bytes;
    if (keeps) told.transfer->answered(read.offset, stream_->contents(i));
  }
}

// What has been sent goes on by events; the rest waits to be sent.
void PeDma::end_stream(const Reached& reached) {
  ClassQueue& queue = queues_[static_cast<std::size_t>(TrafficClass::request)];
  std::deque<ReadStream::Told>& told = stream_->told();
  PoolVector<TransferPtr> ended;
  const ReadStream::Port port = stream_->stop(reached, [&](std::uint64_t i, const ReadLanes::Moving& where) {
    while (!told.empty() && i >= told.front().end) told.pop_front();
    if (told.empty() || i < told.front().first) return;
    const ReadStream::Told& of = told.front();
    goes_on(of.transfer, i, where, reached);
    if (of.whole && i + 1 == of.end && of.transfer->progress.unanswered == 0) ended.push_back(of.transfer);
  });
  told.clear();
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
  turn_ = static_cast<std::size_t>(TrafficClass::request);
}

// A read that has been sent, and perhaps answered.
void PeDma::goes_on(const TransferPtr& transfer, std::uint64_t index, const ReadLanes::Moving& where,
                    const Reached& reached) {
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

void PeDma::give_way(const LiveLink& link, const Packet& packet) {
  const bool late = sim().scheduler().late_begun();
  break_stream({.at = sim().now(),
                .arrivals = late,
                .lates = late,
                .sends = late,
                .answers = late,
                .met = &link,
                .port = std::max(packet.port, 1U)});
}

void PeDma::settle() {
  const bool late = sim().scheduler().late_begun();
  break_stream({.at = sim().now(), .arrivals = late, .lates = late, .sends = late, .answers = late});
}

// The more often others come, the later another begins.
void PeDma::break_stream(const Reached& reached) {
  constexpr std::uint32_t kMost = 10;
  end_stream(reached);
  pause_ = 1U << broken_;
  broken_ = std::min(broken_ + 1, kMost);
  if (std::exchange(wakes_, true)) return;
  work_.post(std::max(port_free_, sim().now()), {.kind = Work::Kind::port_free});
}

// Sends one packet, and says how long the port is taken.
Time PeDma::send_next(ClassQueue& queue) {
  if (queue.burst.message != nullptr) return send_packet(queue);
  const Transfer& transfer = queue.sender();
  const Bytes bytes = transfer.next_bytes(spec_.request);
  const Token token = requests_.next();
  DmaRequest request = transfer.next_request(site_, bytes, token);
  remember(queue, request, bytes);
  if (transfer.progress.atomic) races_->asks(site_.tcm, token, *transfer.access());
  if (request.payload == 0_B) return ask(queue, std::move(request), bytes);
  if (request.whole) return send_whole(queue, std::move(request), bytes);
  MessagePtr message = fabric().make(site_.tcm, request.to, request.payload, transfer.traffic_class(),
                                     std::move(request.body));
  queue.burst = {.message = &fabric().open(std::move(message)), .left = request.payload};
  return send_packet(queue);
}

void PeDma::remember(ClassQueue& queue, const DmaRequest& request, Bytes bytes) {
  if (request.answer == DmaRequest::Answer::none) return;
  const Bytes window = request.answer == DmaRequest::Answer::counted ? window_of(bytes) : 0_B;
  const TransferPtr& transfer = queue.waiting[queue.next];
  ++transfer->progress.unanswered;
  queue.outstanding += window;
  requests_.add({.transfer = transfer, .offset = transfer->offset(), .window = window});
}

Time PeDma::ask(ClassQueue& queue, DmaRequest&& request, Bytes bytes) {
  const Bytes control = fabric().graph().spec().system.control_bytes;
  if (request.answer == DmaRequest::Answer::counted) use_.read += bytes;
  if (sim().causes() != nullptr) explain_port(control, false);
  MessagePtr message =
      fabric().make(id(), request.to, control, queue.sender().traffic_class(), std::move(request.body));
  if (told_ == sim().now())
    fabric().send(std::move(message));
  else
    fabric().depart(std::move(message));
  turn_left_ -= bytes;
  sent(queue, bytes, sim().now());
  return port_.serialization(control);
}

// The operand leaves TCM with it.
Time PeDma::send_whole(ClassQueue& queue, DmaRequest&& request, Bytes bytes) {
  const Bytes size = request.payload;
  MessagePtr message =
      fabric().make(site_.tcm, request.to, size, queue.sender().traffic_class(), std::move(request.body));
  if (sim().causes() != nullptr) explain_port(size, true);
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  fabric().send(std::move(message), slot.start, slot.end);
  use_.written += size;
  turn_left_ -= size;
  sent(queue, bytes, slot.end);
  return std::max(tcm_->pace(size), port_.serialization(size));
}

Time PeDma::send_packet(ClassQueue& queue) {
  Burst& burst = queue.burst;
  const Bytes size = std::min(burst.left, fabric().packet_size(burst.message->size));
  if (sim().causes() != nullptr) explain_port(size, true);
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  fabric().inject(*burst.message, size, slot.start, slot.end);
  use_.written += size;
  burst.left -= size;
  if (burst.left == 0_B) burst = {};
  turn_left_ -= size;
  sent(queue, size, slot.end);
  return std::max(tcm_->pace(size), port_.serialization(size));
}

// These bytes of the sender's transfer have been asked for, or will have left TCM then.
void PeDma::sent(ClassQueue& queue, Bytes bytes, Time left_tcm) {
  const TransferPtr transfer = queue.waiting[queue.next];
  transfer->advance(bytes);
  if (queue.burst.message == nullptr) queue.picked = false;
  if (!transfer->all_sent()) return;
  queue.waiting.erase(queue.waiting.begin() + static_cast<std::ptrdiff_t>(queue.next));
  if (transfer->progress.unanswered > 0) return;
  if (sim().causes() != nullptr) sim().causes()->because(fabric().causes()->left());
  work_.post(left_tcm, {.kind = Work::Kind::sent, .transfer = transfer});
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_dma", NodeKind::pe_dma, PeDma, PeDmaSpec,
                "moves data between TCM and other memories");

}  // namespace kbsim::hw
