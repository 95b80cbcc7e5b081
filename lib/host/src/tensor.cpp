#include "kbsim/host/tensor.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/sim/when_all.hpp"

#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using Writers = std::vector<std::shared_ptr<Event>>;

// Messages for one replica of each element, sent now.
struct Reads {
  std::vector<Shard> shards;
  std::vector<Task<oplog::Slices>> contents;
};

Reads begin_reads(const Tensor::State& tensor) {
  hw::Machine& machine = tensor.session.machine();
  Reads reads;
  std::set<std::int64_t> seen;
  for (const Shard& shard : tensor.shards) {
    if (!seen.insert(shard.spec.offset_bytes).second) continue;
    const hw::MemoryAddress from = hw::locate(machine.graph(), shard.pa);
    reads.shards.push_back(shard);
    reads.contents.push_back(
        hw::host_of(machine).read(tensor.rank, from.memory, from.address, shard.spec.nbytes));
  }
  return reads;
}

HostArray numbers_of(const Tensor::State& tensor, const std::vector<Shard>& shards,
                     const std::vector<oplog::Slices>& contents) {
  Session& session = tensor.session;
  if (!session.has_values()) return HostArray::without_numbers(tensor.shape, tensor.dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.shape.bytes(tensor.dtype).count()));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const topology::Block& block = shards[i].spec.block;
    const oplog::Operand operand{
        .slices = contents[i], .shape = {block.rows, block.cols}, .dtype = tensor.dtype};
    gather(session.replay().evaluate(operand), shards[i].spec, bytes);
  }
  return {tensor.shape, tensor.dtype, std::move(bytes)};
}

Task<HostArray> gathered(std::shared_ptr<const Tensor::State> tensor, Reads reads) {
  const std::vector<oplog::Slices> contents = co_await when_all(std::move(reads.contents));
  co_return numbers_of(*tensor, reads.shards, contents);
}

Task<HostArray> read_after(std::shared_ptr<const Tensor::State> tensor, Writers writers) {
  for (const std::shared_ptr<Event>& writer : writers) co_await writer->wait();
  HostArray read = co_await gathered(tensor, begin_reads(*tensor));
  co_return read;
}

Task<std::monostate> written(Tensor::Update, std::vector<Task<>> writes) {
  co_await when_all(std::move(writes));
  co_return std::monostate{};
}

}  // namespace

Tensor::Update::Update(const Tensor& tensor)
    : state_{tensor.state_},
      done_{std::make_shared<Event>(state_->session.sim(), "the writing of " + state_->name)} {
  state_->writers.push_back(done_);
}

Tensor::Update::~Update() {
  if (!state_) return;
  done_->set();
  std::erase(state_->writers, done_);
}

const std::string& Tensor::name() const { return state_->name; }
const Shape& Tensor::shape() const { return state_->shape; }
DType Tensor::dtype() const { return state_->dtype; }
int Tensor::sip() const { return state_->sip; }
Ptr Tensor::ptr() const { return {.va = *state_->va, .dtype = state_->dtype}; }
const std::vector<Shard>& Tensor::shards() const { return state_->shards; }

Tensor::Done Tensor::copy_(HostArray from, Here at) const {
  if (from.shape() != shape() || from.dtype() != dtype()) {
    throw UsageError{fmt::format("copy_ of {} {} into tensor '{}' of {} {}", to_string(from.shape()),
                                 to_string(from.dtype()), name(), to_string(shape()), to_string(dtype()))};
  }
  std::vector<Task<>> writes = send(*state_, uploads(*state_, from));
  return state_->start("copy_", written(Update{*this}, std::move(writes)), at);
}

Work<HostArray> Tensor::to_host(Here at) const {
  if (state_->writers.empty()) return state_->start("to_host", gathered(state_, begin_reads(*state_)), at);
  return state_->start("to_host", read_after(state_, state_->writers), at);
}

}  // namespace kbsim::host
