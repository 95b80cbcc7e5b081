#include "tensor_state.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/concat.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/indices.hpp>
#include <range/v3/view/transform.hpp>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/hw/control/i_host.hpp"

#include "resident.hpp"

namespace kbsim::host {
namespace {

namespace views = ranges::views;

bool meet(const Stretch& a, const Stretch& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

constexpr Bytes kMappingSize{24};  // per mapping of an MmuMap message: virtual and physical address, size

topology::Mapping mapping_of(std::uint64_t va, const Shard& shard) {
  const auto offset = static_cast<std::uint64_t>(shard.spec.offset_bytes);
  return {.va = va + offset, .pa = shard.pa, .bytes = shard.spec.nbytes};
}

// Maps or unmaps a tensor that all PEs share, in all MMUs of its package.
std::shared_ptr<const hw::ControlJob> share_job(const config::MachineSpec& spec, int sip, std::uint64_t va,
                                                const std::vector<Shard>& shards, bool unmap) {
  hw::MapPages pages{.mappings = {}, .unmap = unmap};
  for (const Shard& shard : shards) pages.mappings.push_back(mapping_of(va, shard));
  const Bytes size = kMappingSize * static_cast<std::int64_t>(shards.size());
  auto job = std::make_shared<hw::ControlJob>();
  for (const auto [cube, pe] :
       views::cartesian_product(views::indices(spec.cubes_per_sip()), views::indices(spec.pes_per_cube())))
    job->targets.push_back({.pe = {sip, cube, pe}, .action = pages, .size = size});
  return job;
}

void require_memory(const std::string& name, topology::Region memory) {
  using topology::Region;
  if (memory == Region::hbm || memory == Region::tcm || memory == Region::sram) return;
  throw UsageError{
      fmt::format("tensor '{}' can't be in {}: it is in hbm, tcm or sram", name, to_string(memory))};
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

// Maps or unmaps a tensor, by one order to the PEs of its package.
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

std::shared_ptr<const hw::ControlJob> job_of(const Tensor::State& tensor, bool unmap) {
  const config::MachineSpec& spec = tensor.session.spec();
  return tensor.shared ? share_job(spec, tensor.sip, *tensor.va, tensor.shards, unmap)
                       : map_job(*tensor.va, tensor.shards, unmap);
}

// The memory that a tensor holds now.
topology::MemoryChange held_by(const Tensor::State& tensor) {
  topology::MemoryChange held{.at = tensor.session.sim().now(),
                              .memory = tensor.mem_kind,
                              .sip = tensor.sip,
                              .name = tensor.name,
                              .places = static_cast<int>(tensor.shards.size())};
  for (const Shard& shard : tensor.shards) {
    held.bytes += shard.spec.nbytes;
    held.most = std::max(held.most, shard.spec.nbytes);
  }
  return held;
}

void note_freed(Session& session, topology::MemoryChange held) {
  held.at = session.sim().now();
  held.freed = true;
  session.memory_changes().push_back(std::move(held));
}

void give_back(Session& session, int sip, std::optional<std::uint64_t> va, const std::vector<Shard>& shards) {
  for (const Shard& shard : shards) {
    session.machine().races().forget({.pa = shard.pa, .bytes = shard.spec.nbytes});
    session.allocators().free(shard.pa);
  }
  if (va) session.virtual_memory(sip).free(*va);
}

// Frees the memory once it is unmapped.
Task<> release(Session& session, topology::MemoryChange held, std::uint64_t va, Task<hw::Activity> unmapped,
               std::vector<Shard> shards) {
  co_await std::move(unmapped);
  give_back(session, held.sip, va, shards);
  note_freed(session, std::move(held));
}

}  // namespace

bool all_set(const Events& events) {
  return std::ranges::all_of(events, [](const auto& event) { return event->is_set(); });
}

std::vector<oplog::KnowledgePtr> known_of(const Events& events) {
  std::vector<oplog::KnowledgePtr> all;
  for (const auto& event : events) {
    if (event->known) all.push_back(event->known);
  }
  return all;
}

Task<> wait_for(Session& session, Events events) {
  for (const std::shared_ptr<Written>& one : events) {
    co_await one->wait();
    session.orders().learn(one->known);
  }
}

Events Tensor::State::written() const {
  const auto writes = [](const Writer& writer) { return writer.by != Update::By::source; };
  return views::concat(writers, ended) | views::filter(writes) | views::transform(&Writer::done) |
         ranges::to<std::vector>;
}

Events Tensor::State::written(const View& view, std::initializer_list<Update::By> by) const {
  const auto writes = [&](const Writer& writer) {
    return std::ranges::find(by, writer.by) != by.end() && meet(writer.elements, view.bounds());
  };
  return views::concat(writers, ended) | views::filter(writes) | views::transform(&Writer::done) |
         ranges::to<std::vector>;
}

// Merges vector clocks: the last writer of the same elements needn't know of the writers before it.
void Tensor::State::end(const std::shared_ptr<Written>& done) {
  done->known = session.orders().published();
  done->set();
  const auto writer = std::ranges::find(writers, done, &Writer::done);
  const Writer self = *writer;
  writers.erase(writer);
  if (!done->known) return;
  const auto same = std::ranges::find_if(ended, [&](const Writer& one) {
    return one.by == self.by && one.elements.first == self.elements.first &&
           one.elements.count == self.elements.count;
  });
  if (same == ended.end()) return ended.push_back(self);
  const oplog::KnowledgePtr both = session.orders().both(same->done->known, done->known);
  same->done = std::make_shared<Written>(session.sim(), done->name());
  same->done->known = both;
  same->done->set();
}

std::vector<topology::ShardSpec> Tensor::State::placed() const {
  const config::MachineSpec& spec = session.spec();
  std::vector<topology::ShardSpec> all =
      resolve_dp_policy(dp, shape, itemsize(dtype), spec.pes_per_cube(), spec.cubes_per_sip(), sip);
  for (topology::ShardSpec& shard : all) {
    shard.at.cube += origin.cube;
    shard.at.pe += origin.pe;
    if (origin.cube < 0 || origin.pe < 0 || shard.at.cube >= spec.cubes_per_sip() ||
        shard.at.pe >= spec.pes_per_cube())
      throw UsageError{fmt::format("tensor '{}' on {}: the machine has {} of {} a package", name,
                                   kbsim::to_string(shard.at), counted(spec.cubes_per_sip(), "cube"),
                                   counted(spec.pes_per_cube(), "PE"))};
  }
  return all;
}

void Tensor::State::allocate(std::string_view call, Here at) {
  const auto specs = at_line(at, [&] {
    require_memory(name, mem_kind);
    auto all = placed();
    if (shared) require_one_copy(name, all);
    return all;
  });
  Bytes range;
  try {
    range = take_memory(specs);
  } catch (const AllocationError& error) {
    throw AllocationError{fmt::format("{}: {}: no room for tensor '{}', {} {}: {}",
                                      kbsim::to_string(to_place(at)), call, name, kbsim::to_string(shape),
                                      kbsim::to_string(dtype), error.what())};
  }
  session.memory_changes().push_back(held_by(*this));
  name_range(range, at);
}

namespace {

// Null if its virtual range has the elements in row-major order.
std::shared_ptr<const TensorLayout> layout_of(const Tensor::State& tensor, const std::string& text) {
  const auto in_place = [](const Shard& shard) {
    const topology::ShardSpec& spec = shard.spec;
    const bool whole_rows = spec.block.cols == spec.tensor_cols || spec.block.rows <= 1;
    return spec.offset_bytes == spec.position_bytes() && whole_rows;
  };
  if (std::ranges::all_of(tensor.shards, in_place)) return nullptr;
  const int item = itemsize(tensor.dtype);
  std::vector<LayoutBlock> blocks;
  for (const Shard& shard : tensor.shards) {
    const topology::Block& block = shard.spec.block;
    blocks.push_back({.row0 = block.row0,
                      .rows = block.rows,
                      .col0 = block.col0,
                      .cols = block.cols,
                      .offset = shard.spec.offset_bytes / item});
  }
  return std::make_shared<const TensorLayout>(*tensor.va, tensor.dtype, tensor.shape, text,
                                              std::move(blocks));
}

}  // namespace

// Registers the tensor's name for reports that print addresses.
void Tensor::State::name_range(Bytes range, Here at) const {
  hw::Machine& machine = session.machine();
  std::string text =
      fmt::format("{}, {} {}, of {}", name == TensorOptions{}.name ? "a tensor" : "tensor '" + name + "'",
                  kbsim::to_string(dtype), kbsim::to_string(shape), kbsim::to_string(to_place(at)));
  if (machine.races().on()) {
    const auto owner = std::make_shared<const std::string>(text);
    for (const Shard& shard : shards)
      machine.races().name({.pa = shard.pa, .bytes = shard.spec.nbytes}, owner);
  }
  auto layout = layout_of(*this, text);
  machine.address_names().add(sip, *va, range, std::move(text), std::move(layout));
}

Bytes Tensor::State::take_memory(const std::vector<topology::ShardSpec>& specs) {
  Bytes range;
  for (const topology::ShardSpec& shard : specs) {
    range = std::max(range, Bytes{shard.offset_bytes} + shard.nbytes);
    shards.push_back(
        {.spec = shard, .pa = session.allocators().memory(shard.at, mem_kind).allocate(shard.nbytes)});
  }
  std::ranges::sort(shards, {},
                    [](const Shard& shard) { return std::pair{shard.spec.at, shard.spec.offset_bytes}; });
  va = session.virtual_memory(sip).allocate(range);
  return range;
}

Task<hw::Activity> Tensor::State::map() {
  mapped = true;
  return hw::host_of(session.machine()).order(rank, sip, job_of(*this, false));
}

void Tensor::State::map_resident() {
  mapped = true;
  map_at_once(session.machine(), *job_of(*this, false));
}

Tensor::State::~State() {
  if (!session.open()) return;
  topology::MemoryChange held = held_by(*this);
  if (va) session.machine().address_names().drop(sip, *va);
  if (mapped && !resident) {
    Task<hw::Activity> unmapped = hw::host_of(session.machine()).order(rank, sip, job_of(*this, true));
    (void)session.sim().spawn("free " + name,
                              release(session, std::move(held), *va, std::move(unmapped), std::move(shards)));
    return;
  }
  if (mapped) map_at_once(session.machine(), *job_of(*this, true));
  give_back(session, sip, va, shards);
  if (va) note_freed(session, std::move(held));
}

}  // namespace kbsim::host
