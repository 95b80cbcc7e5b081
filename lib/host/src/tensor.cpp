#include "kbsim/host/tensor.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/when_all.hpp"

#include "resident.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

constexpr Bytes kMappingSize{24};  // of an MmuMap message: virtual and physical address, size

topology::Mapping mapping_of(std::uint64_t va, const Shard& shard) {
  const auto offset = static_cast<std::uint64_t>(shard.spec.offset_bytes);
  return {.va = va + offset, .pa = shard.pa, .bytes = shard.spec.nbytes};
}

// The MMU's view of a tensor that all PEs share.
std::shared_ptr<const hw::ControlJob> share_job(const config::MachineSpec& spec, int sip, std::uint64_t va,
                                                const std::vector<Shard>& shards, bool unmap) {
  hw::MapPages pages{.mappings = {}, .unmap = unmap};
  for (const Shard& shard : shards) pages.mappings.push_back(mapping_of(va, shard));
  const Bytes size = kMappingSize * static_cast<std::int64_t>(shards.size());
  auto job = std::make_shared<hw::ControlJob>();
  for (int cube = 0; cube < spec.cubes_per_sip(); ++cube) {
    for (int pe = 0; pe < spec.pes_per_cube(); ++pe)
      job->targets.push_back({.pe = {sip, cube, pe}, .action = pages, .size = size});
  }
  return job;
}

void require_one_copy(const std::string& name, const std::vector<topology::ShardSpec>& shards) {
  std::set<std::int64_t> seen;
  for (const topology::ShardSpec& shard : shards) {
    if (seen.insert(shard.offset_bytes).second) continue;
    throw UsageError{
        fmt::format("tensor '{}' is shared, but its DPPolicy replicates it; split it over the "
                    "PEs, or place it on one of them by num_cubes and num_pes",
                    name)};
  }
}

// The MMU's view of a tensor, as one order to the PEs of its package.
std::shared_ptr<const hw::ControlJob> map_job(std::uint64_t va, const std::vector<Shard>& shards,
                                              bool unmap) {
  auto job = std::make_shared<hw::ControlJob>();
  for (const Shard& shard : shards) {
    if (job->targets.empty() || job->targets.back().pe != shard.spec.at) {
      job->targets.push_back(
          {.pe = shard.spec.at, .action = hw::MapPages{.mappings = {}, .unmap = unmap}, .size = {}});
    }
    auto& pages = std::get<hw::MapPages>(job->targets.back().action);
    pages.mappings.push_back(mapping_of(va, shard));
    job->targets.back().size += kMappingSize;
  }
  return job;
}

void give_back(Session& session, int sip, std::optional<std::uint64_t> va, const std::vector<Shard>& shards) {
  for (const Shard& shard : shards) session.allocators().free(shard.pa);
  if (va) session.virtual_memory(sip).free(*va);
}

// Gives the memory back once it is unmapped.
Task<> release(Session& session, int sip, std::uint64_t va, Task<hw::Activity> unmapped,
               std::vector<Shard> shards) {
  co_await std::move(unmapped);
  give_back(session, sip, va, shards);
}

Task<> write_shard(Session& session, int rank, Shard shard, oplog::Op op) {
  const hw::MemoryAddress to = hw::locate(session.machine().graph(), shard.pa);
  const oplog::Slice contents{op.id, 0, shard.spec.nbytes.count()};
  op.start = session.sim().now();
  co_await hw::host_of(session.machine()).write(rank, to.memory, to.address, contents);
  op.end = session.sim().now();
  session.log().record(std::move(op));
}

Task<> read_shard(Session& session, int rank, Shard shard, oplog::Slices* into) {
  const hw::MemoryAddress from = hw::locate(session.machine().graph(), shard.pa);
  *into = co_await hw::host_of(session.machine()).read(rank, from.memory, from.address, shard.spec.nbytes);
}

}  // namespace

std::shared_ptr<const hw::ControlJob> Tensor::State::map(bool unmap) const {
  return shared ? share_job(session.spec(), sip, *va, shards, unmap) : map_job(*va, shards, unmap);
}

Tensor::State::~State() {
  if (!session.open()) return;
  if (mapped && resident) {
    map_at_once(session.machine(), *map(true));
    give_back(session, sip, va, shards);
  } else if (mapped) {
    Task<hw::Activity> unmapped = hw::host_of(session.machine()).order(rank, sip, map(true));
    (void)session.sim().spawn("free " + name,
                              release(session, sip, *va, std::move(unmapped), std::move(shards)));
  } else {
    give_back(session, sip, va, shards);
  }
}

Tensor::Update::Update(const Tensor& tensor) : state_{tensor.state_} {
  ++state_->updates;
  state_->written.reset();
}

Tensor::Update::~Update() {
  if (state_ && --state_->updates == 0) state_->written.set();
}

const std::string& Tensor::name() const { return state_->name; }
const Shape& Tensor::shape() const { return state_->shape; }
DType Tensor::dtype() const { return state_->dtype; }
int Tensor::sip() const { return state_->sip; }
Ptr Tensor::ptr() const { return {.va = *state_->va, .dtype = state_->dtype}; }
const std::vector<Shard>& Tensor::shards() const { return state_->shards; }

Task<> Tensor::copy_(HostArray from) const { return write(state_, std::move(from), Update{*this}); }

Task<> Tensor::write(std::shared_ptr<State> tensor, HostArray from, Update) {
  if (from.shape() != tensor->shape || from.dtype() != tensor->dtype) {
    throw UsageError{fmt::format("copy_ of {} {} into tensor '{}' of {} {}", to_string(from.shape()),
                                 to_string(from.dtype()), tensor->name, to_string(tensor->shape),
                                 to_string(tensor->dtype))};
  }
  Session& session = tensor->session;
  std::vector<Task<>> writes;
  for (const Shard& shard : tensor->shards) {
    const Shape shape{shard.spec.block.rows, shard.spec.block.cols};
    oplog::Op op{.id = session.log().reserve(session.lane(tensor->rank)),
                 .kind = oplog::OpKind::literal,
                 .dtype = tensor->dtype,
                 .shape = shape,
                 .unit = session.machine().graph().host()};
    if (session.has_values())
      op.data = std::make_shared<const std::vector<std::byte>>(scatter(from.bytes(), shard.spec));
    writes.push_back(write_shard(session, tensor->rank, shard, std::move(op)));
  }
  co_await when_all(std::move(writes));
}

Task<HostArray> Tensor::to_host() const { return read(state_); }

Task<HostArray> Tensor::read(std::shared_ptr<State> tensor) {
  while (tensor->updates > 0) co_await tensor->written.wait();
  Session& session = tensor->session;
  std::vector<Shard> shards;  // one replica of each
  std::set<std::int64_t> seen;
  for (const Shard& shard : tensor->shards) {
    if (seen.insert(shard.spec.offset_bytes).second) shards.push_back(shard);
  }
  std::vector<oplog::Slices> contents(shards.size());
  std::vector<Task<>> reads;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    reads.push_back(read_shard(session, tensor->rank, shards[i], &contents[i]));
  }
  co_await when_all(std::move(reads));
  if (!session.has_values()) co_return HostArray::without_numbers(tensor->shape, tensor->dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor->shape.bytes(tensor->dtype).count()));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const topology::Block& block = shards[i].spec.block;
    const oplog::Operand operand{
        .slices = contents[i], .shape = {block.rows, block.cols}, .dtype = tensor->dtype};
    gather(session.replay().evaluate(operand), shards[i].spec, bytes);
  }
  co_return HostArray{tensor->shape, tensor->dtype, std::move(bytes)};
}

Task<Tensor> Torch::empty(Shape shape, DType dtype, TensorOptions options) {
  const config::MachineSpec& spec = session_.spec();
  const auto state = std::shared_ptr<Tensor::State>{
      new Tensor::State{session_, rank_, device_, std::move(options.name), shape, dtype}};
  state->shared = options.shared;
  state->resident = options.resident;
  const auto specs = resolve_dp_policy(options.dp, shape, itemsize(dtype), spec.pes_per_cube(),
                                       spec.cubes_per_sip(), state->sip);
  if (options.shared) require_one_copy(state->name, specs);
  Bytes range;
  for (const topology::ShardSpec& shard : specs) {
    range = std::max(range, Bytes{shard.offset_bytes} + shard.nbytes);
    state->shards.push_back(
        {.spec = shard, .pa = session_.allocators().pe(shard.at).hbm.allocate(shard.nbytes)});
  }
  std::ranges::sort(state->shards, {},
                    [](const Shard& shard) { return std::pair{shard.spec.at, shard.spec.offset_bytes}; });
  state->va = session_.virtual_memory(state->sip).allocate(range);
  state->mapped = true;
  if (options.resident) {
    map_at_once(session_.machine(), *state->map(false));
    co_return Tensor{state};
  }
  co_await hw::host_of(session_.machine()).order(rank_, state->sip, state->map(false));
  co_return Tensor{state};
}

Task<> Torch::fill(Tensor tensor, HostArray contents) {
  if (tensor.state_->resident) {
    place(session_, rank_, tensor.shards(), contents);
  } else {
    co_await tensor.copy_(std::move(contents));
  }
}

Task<Tensor> Torch::full(Shape shape, double value, DType dtype, TensorOptions options) {
  Tensor tensor = co_await empty(shape, dtype, std::move(options));
  HostArray contents =
      session_.has_values() ? host::full(shape, value, dtype) : HostArray::without_numbers(shape, dtype);
  co_await fill(tensor, std::move(contents));
  co_return tensor;
}

Task<Tensor> Torch::zeros(Shape shape, DType dtype, TensorOptions options) {
  Tensor tensor = co_await full(shape, 0.0, dtype, std::move(options));
  co_return tensor;
}

Task<Tensor> Torch::from_host(HostArray contents, TensorOptions options) {
  Tensor tensor = co_await empty(contents.shape(), contents.dtype(), std::move(options));
  co_await fill(tensor, contents);
  co_return tensor;
}

}  // namespace kbsim::host
