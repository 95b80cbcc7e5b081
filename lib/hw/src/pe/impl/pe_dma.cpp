#include "pe_dma.hpp"

#include <algorithm>
#include <tuple>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_dma", NodeKind::pe_dma, PeDma, PeDmaSpec,
                "moves data between TCM and other memories");

namespace {

const LoadCommand* load_of(const DmaCommand& command) {
  if (const auto* fetch = std::get_if<FetchCommand>(&command.move)) return &fetch->load;
  return std::get_if<LoadCommand>(&command.move);
}

std::vector<Piece> pieces_of(const DmaCommand& command) {
  if (const LoadCommand* load = load_of(command)) return load->from;
  if (const auto* store = std::get_if<StoreCommand>(&command.move)) return store->to;
  if (const auto* stream = std::get_if<StreamCommand>(&command.move)) return stream->pieces;
  return {{.memory = std::get<SlotCommand>(command.move).slot}};
}

bool reads(const DmaCommand& command) {
  const auto* stream = std::get_if<StreamCommand>(&command.move);
  return stream != nullptr ? stream->in : load_of(command) != nullptr;
}

// Who writes or reads a slot never races, since credits order them.
bool may_race(const DmaCommand& command) {
  return !std::holds_alternative<SlotCommand>(command.move) &&
         !std::holds_alternative<FetchCommand>(command.move);
}

const Atomic* atomic_of(const DmaCommand& command) {
  const auto* load = std::get_if<LoadCommand>(&command.move);
  return load != nullptr ? load->atomic.get() : nullptr;
}

bool waits(const DmaCommand& command) {
  const auto* load = std::get_if<LoadCommand>(&command.move);
  return load != nullptr && load->until;
}

// As races see it.
oplog::MemoryAccess access(const DmaCommand& command) {
  const auto* stream = std::get_if<StreamCommand>(&command.move);
  const bool atomic = atomic_of(command) != nullptr;
  return {.op = command.value,
          .write = atomic || !reads(command),
          .atomic = atomic || waits(command),
          .call = command.call,
          .at = stream != nullptr ? stream->stream->at : command.pending->at(),
          .kernel = command.kernel->kernel()};
}

const TilePtr& source(const DmaCommand& command) {
  if (const auto* store = std::get_if<StoreCommand>(&command.move)) return store->tile;
  return std::get<SlotCommand>(command.move).tile;
}

}  // namespace

void PeDma::Job::advance(Bytes n) {
  Piece& piece = pieces[next];
  piece.memory = {.pa = piece.memory.pa + n, .bytes = piece.memory.bytes - n};
  piece.offset += n.count();
  if (piece.memory.bytes == 0_B) ++next;
}

PeDma::PeDma(Fabric& fabric, NodeId id, PeDmaSpec spec)
    : Component{fabric, id},
      spec_{spec},
      port_{fabric.graph().spec().pe.link},
      work_{fabric.sim(), name() + " work"},
      turn_left_{spec.vc_chunk} {}

void PeDma::start(Machine& machine) {
  Component::start(machine);
  tcm_node_ = machine.graph().pe(node().at).tcm;
  tcm_ = &machine.at<ITcm>(tcm_node_);
  log_ = &machine.log();
  races_ = &machine.races();
  (void)sim().serve(name() + " engine", run());
}

void PeDma::loaded(Time at, Token token, oplog::Slices contents) {
  work_.post(at, Answer{.token = token, .contents = std::move(contents)});
}

void PeDma::accept(MessagePtr message) {
  const auto* ack = std::get_if<WriteAck>(&message->body);
  if (ack == nullptr) return Component::accept(std::move(message));
  work_.post(sim().now(), Answer{.token = ack->token, .contents = {}});
}

// Decides late, so that what arrives at one time is seen together; sends a packet when the port is free.
Task<> PeDma::run() {
  std::vector<Work> work;
  for (;;) {
    co_await work_.collect(work);
    take(work);
    if (sim().now() < port_free_) continue;
    if (Channel* channel = next_channel()) {
      port_free_ = sim().now() + send_next(*channel);
      work_.post(port_free_, PortFree{});
    }
  }
}

void PeDma::take(std::vector<Work>& work) {
  std::vector<DmaCommand> commands;
  for (Work& item : work) {
    if (auto* command = std::get_if<DmaCommand>(&item)) commands.push_back(std::move(*command));
    if (const auto* answer = std::get_if<Answer>(&item)) answered(*answer);
    if (const auto* sent = std::get_if<Sent>(&item)) finish(*sent->job);
  }
  work.clear();
  std::ranges::sort(commands, {}, &DmaCommand::order);
  for (DmaCommand& command : commands) begin(std::move(command));
}

void PeDma::begin(DmaCommand command) {
  const bool slot = std::holds_alternative<SlotCommand>(command.move);
  auto job = std::make_shared<Job>();
  job->start = sim().now();
  job->channel = slot ? VirtualChannel::ipcq : VirtualChannel::request;
  job->pieces = pieces_of(command);
  job->command = std::move(command);
  if (job->pieces.empty()) return finish(*job);
  if (races_->on() && may_race(job->command)) job->race = races_->begin(access(job->command), job->pieces);
  channels_[static_cast<std::size_t>(job->channel)].jobs.push_back(std::move(job));
}

// The channel whose turn it is, else the next that may send.
PeDma::Channel* PeDma::next_channel() {
  if (turn_left_ <= 0_B || !may_send(channels_[turn_])) {
    for (std::size_t i = 1; i <= channels_.size(); ++i) {
      const std::size_t candidate = (turn_ + i) % channels_.size();
      if (!may_send(channels_[candidate])) continue;
      turn_ = candidate;
      turn_left_ = turn_of(channels_[turn_]);
      return &channels_[turn_];
    }
    return nullptr;
  }
  return &channels_[turn_];
}

// Queue traffic has turns as long as its algorithm says.
Bytes PeDma::turn_of(const Channel& channel) const {
  const auto* slot = std::get_if<SlotCommand>(&channel.jobs.front()->command.move);
  return slot != nullptr && slot->vc_chunk > 0_B ? slot->vc_chunk : spec_.vc_chunk;
}

bool PeDma::may_send(const Channel& channel) const {
  if (!channel.busy()) return false;
  if (channel.burst.message != nullptr || channel.outstanding == 0_B) return true;
  const Bytes with_next = channel.outstanding + window_of(request_size(*channel.jobs.front()));
  return ceil_div(with_next.count(), spec_.request.count()) <= spec_.max_outstanding;
}

Bytes PeDma::request_size(const Job& job) const {
  const Bytes left = job.pieces[job.next].memory.bytes;
  if (job.channel == VirtualChannel::ipcq || atomic_of(job.command) != nullptr) return left;
  return std::min(left, spec_.request);
}

// Answers come back to lines of the DMA's buffer, so that there is an end to how many small requests it can
// remember.
Bytes PeDma::window_of(Bytes request) const {
  constexpr std::int64_t kLine = 256;
  return std::min(spec_.request, Bytes{ceil_div(request.count(), kLine) * kLine});
}

Token PeDma::remember(Request request) {
  ++request.job->requests_left;
  channels_[static_cast<std::size_t>(request.job->channel)].outstanding += request.window;
  requests_.emplace(++next_token_, std::move(request));
  return next_token_;
}

// Sends one packet, and says how long the port is taken.
Time PeDma::send_next(Channel& channel) {
  const DmaCommand& command = channel.jobs.front()->command;
  if (atomic_of(command) != nullptr) return request_atomic(channel);
  if (waits(command)) return request_signal(channel);
  return reads(command) ? request_load(channel) : send_chunk(channel);
}

Time PeDma::request_load(Channel& channel) {
  const std::shared_ptr<Job> job = channel.jobs.front();
  const Bytes size = request_size(*job);
  const Piece& piece = job->pieces[job->next];
  const MemoryAddress from = locate(fabric().graph(), piece.memory.pa);
  const Token token = remember({.job = job, .offset = piece.offset, .window = window_of(size)});
  const Bytes control = fabric().graph().spec().system.control_bytes;
  tell(from.memory, control, VirtualChannel::request,
       ReadRequest{.address = from.address, .bytes = size, .reply_to = tcm_node_, .token = token});
  turn_left_ -= size;
  job->advance(size);
  if (job->all_sent()) channel.jobs.pop_front();
  return port_.serialization(control);
}

// The operand leaves TCM with it.
Time PeDma::request_atomic(Channel& channel) {
  const std::shared_ptr<Job> job = channel.jobs.front();
  const auto& load = std::get<LoadCommand>(job->command.move);
  const AtomicPart& part = load.atomic->parts[job->next];
  const MemoryAddress at = locate(fabric().graph(), part.memory.pa);
  const Bytes size = load.atomic->request_size(part);
  const Token token = remember({.job = job, .offset = part.offset, .window = window_of(part.memory.bytes)});
  MessagePtr request = fabric().make(tcm_node_, at.memory, size, VirtualChannel::request,
                                     AtomicRequest{.address = at.address,
                                                   .atomic = load.atomic,
                                                   .part = job->next,
                                                   .reply_to = tcm_node_,
                                                   .token = token});
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  fabric().send(std::move(request), slot.start, slot.end);
  turn_left_ -= size;
  job->advance(part.memory.bytes);
  if (job->all_sent()) channel.jobs.pop_front();
  return std::max(tcm_->pace(size), port_.serialization(size));
}

Time PeDma::request_signal(Channel& channel) {
  const std::shared_ptr<Job> job = channel.jobs.front();
  const auto& load = std::get<LoadCommand>(job->command.move);
  const topology::PhysRange word = job->pieces.front().memory;
  const MemoryAddress at = locate(fabric().graph(), word.pa);
  const Token token = remember({.job = job, .offset = 0, .window = 0_B});
  const Bytes control = fabric().graph().spec().system.control_bytes;
  tell(at.memory, control, VirtualChannel::request,
       SignalRequest{
           .word = {.address = at.address, .bytes = word.bytes, .reply_to = tcm_node_, .token = token},
           .dtype = load.into->dtype(),
           .until = *load.until});
  turn_left_ -= word.bytes;
  job->advance(word.bytes);
  channel.jobs.pop_front();
  return port_.serialization(control);
}

void PeDma::open_burst(Channel& channel) {
  const std::shared_ptr<Job>& job = channel.jobs.front();
  const Bytes size = request_size(*job);
  const Piece& piece = job->pieces[job->next];
  const oplog::Slice contents{job->command.value, piece.offset, size.count()};
  MemoryAddress to = locate(fabric().graph(), piece.memory.pa);
  MessageBody body;
  if (const auto* slot = std::get_if<SlotCommand>(&job->command.move)) {
    body = SlotWrite{
        .slot = slot->slot.pa, .contents = contents, .header = slot->header, .receiver = slot->receiver};
  } else {
    const Token token = remember({.job = job, .offset = piece.offset, .window = window_of(size)});
    body = WriteData{.address = to.address, .contents = contents, .reply_to = id(), .token = token};
  }
  channel.burst.message =
      &fabric().open(fabric().make(tcm_node_, to.memory, size, job->channel, std::move(body)));
  channel.burst.left = size;
}

Time PeDma::send_chunk(Channel& channel) {
  if (channel.burst.message == nullptr) open_burst(channel);
  const std::shared_ptr<Job> job = channel.jobs.front();
  const Bytes size = std::min(channel.burst.left, fabric().packet_size(channel.burst.message->size));
  const Lane::Slot slot = tcm_->read_port(sim().now(), size);
  fabric().inject(*channel.burst.message, size, slot.start, slot.end);
  channel.burst.left -= size;
  turn_left_ -= size;
  job->advance(size);
  if (channel.burst.left == 0_B) channel.burst = {};
  if (job->all_sent()) {
    channel.jobs.pop_front();
    if (job->channel == VirtualChannel::ipcq) work_.post(slot.end, Sent{job});
  }
  return std::max(tcm_->pace(size), port_.serialization(size));
}

void PeDma::answered(const Answer& answer) {
  const auto it = requests_.find(answer.token);
  ensure(it != requests_.end(), name() + " got an answer to nothing");
  const Request request = std::move(it->second);
  requests_.erase(it);
  Job& job = *request.job;
  channels_[static_cast<std::size_t>(job.channel)].outstanding -= request.window;
  job.parts.emplace(request.offset, answer.contents);
  if (--job.requests_left == 0 && job.all_sent()) finish(job);
}

void PeDma::finish(Job& job) {
  races_->end(job.race);
  DmaCommand& command = job.command;
  if (const auto* stream = std::get_if<StreamCommand>(&command.move)) {
    stream->stream->parts = std::move(job.parts);
    return stream->stream->done.set();
  }
  const LoadCommand* load = load_of(command);
  record(command, job.start,
         load != nullptr ? loaded(job) : static_cast<const PeTile&>(*source(command)).operand());
  if (load != nullptr) load->into->arrived(sim().now());
  if (const auto* fetch = std::get_if<FetchCommand>(&command.move))
    fetch->slot.ipcq->release(sim().now(), fetch->slot.queue, fetch->slot.slot);
  command.pending->complete(load != nullptr ? load->into : nullptr, sim().now());
}

void PeDma::record(const DmaCommand& command, Time start, oplog::Operand moved) {
  log_->record({.id = command.value,
                .kind = oplog::OpKind::copy,
                .dtype = moved.dtype,
                .shape = moved.shape,
                .unit = id(),
                .start = start,
                .end = sim().now(),
                .inputs = {std::move(moved)}});
}

// What came from memory, and between it slices of the padding, which cost nothing.
oplog::Operand PeDma::loaded(const Job& job) {
  const LoadCommand& load = *load_of(job.command);
  const PeTile& tile = *load.into;
  oplog::Operand from{.slices = {}, .shape = tile.shape(), .dtype = tile.dtype()};
  std::int64_t position = 0;
  const auto pad_to = [&](std::int64_t end) {
    if (position < end) from.slices.push_back({load.padding, position, end - position});
    position = end;
  };
  for (const auto& [offset, part] : job.parts) {
    pad_to(offset);
    for (const oplog::Slice& slice : part) {
      from.slices.push_back(slice);
      position += slice.bytes;
    }
  }
  pad_to(tile.size().count());
  if (load.padding.valid()) {
    log_->record({.id = load.padding,
                  .kind = oplog::OpKind::fill,
                  .params = {.scalar = load.pad},
                  .dtype = tile.dtype(),
                  .shape = tile.shape(),
                  .unit = id(),
                  .start = job.start,
                  .end = job.start});
  }
  return from;
}

}  // namespace kbsim::hw
