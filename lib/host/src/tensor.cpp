#include "kbsim/host/tensor.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/sim/when_all.hpp"

#include "device_copy.hpp"
#include "host_access.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

namespace views = ranges::views;

std::string statistics(const HostArray& array) {
  double sum = 0.0;
  double squares = 0.0;
  for (const double number : array.to_doubles()) {
    sum += number;
    squares += number * number;
  }
  return fmt::format(", mean={:.4g}, norm={:.4g}", sum / static_cast<double>(array.shape().elements()),
                     std::sqrt(squares));
}

// Read messages for one replica of each element of a view, sent now.
struct Reads {
  std::vector<ShardRange> ranges;
  std::vector<Task<oplog::Slices>> contents;
};

Reads begin_reads(const Tensor::State& tensor, const View& view) {
  hw::Machine& machine = tensor.session.machine();
  Reads reads{.ranges = shard_ranges(tensor, view, false), .contents = {}};
  for (const ShardRange& range : reads.ranges) {
    const topology::PhysRange from{.pa = range.address(tensor.dtype),
                                   .bytes = Bytes{range.count() * itemsize(tensor.dtype)}};
    reads.contents.push_back(read_memory(machine, tensor.rank, from));
  }
  return reads;
}

HostArray numbers_of(const Tensor::State& tensor, const Shape& shape, const std::vector<ShardRange>& ranges,
                     const std::vector<oplog::Slices>& contents) {
  Session& session = tensor.session;
  if (!session.has_values()) return HostArray::without_numbers(shape, tensor.dtype);
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.bytes(tensor.dtype).count()));
  for (const auto& [range, slices] : views::zip(ranges, contents)) {
    const oplog::Operand operand{.slices = slices, .shape = range.shape(), .dtype = tensor.dtype};
    put(session.replay().evaluate(operand), range, tensor.dtype, bytes);
  }
  return {shape, tensor.dtype, std::move(bytes)};
}

Task<HostArray> gathered(std::shared_ptr<const Tensor::State> tensor, Shape shape, Reads reads) {
  const std::vector<oplog::Slices> contents = co_await when_all(std::move(reads.contents));
  co_return numbers_of(*tensor, shape, reads.ranges, contents);
}

Task<HostArray> read_after(std::shared_ptr<const Tensor::State> tensor, View view, Events written) {
  co_await wait_for(tensor->session, std::move(written));
  HostArray read = co_await gathered(tensor, view.shape(), begin_reads(*tensor, view));
  co_return read;
}

using Updating = std::shared_ptr<const Tensor::Update>;

Task<std::monostate> written(Updating, std::vector<Task<>> writes) {
  co_await when_all(std::move(writes));
  co_return std::monostate{};
}

Task<std::monostate> written_after(Updating update, std::shared_ptr<Tensor::State> tensor, Events before,
                                   std::vector<Upload> uploads) {
  co_await wait_for(tensor->session, std::move(before));
  co_await when_all(send(*tensor, std::move(uploads), update));
  co_return std::monostate{};
}

// A copy to itself is allowed: each DMA writes what it has read.
void require_apart(const Tensor& from, const Tensor& to) {
  if (from.state() != to.state() || from.elements() == to.elements()) return;
  const std::vector<Stretch> read = from.elements().stretches();  // both in ascending order
  const std::vector<Stretch> written = to.elements().stretches();
  for (auto a = read.begin(), b = written.begin(); a != read.end() && b != written.end();) {
    const std::int64_t end_a = a->first + a->count;
    const std::int64_t end_b = b->first + b->count;
    if (end_a <= b->first) {
      ++a;
    } else if (end_b <= a->first) {
      ++b;
    } else {
      throw UsageError{
          fmt::format("copy_ within tensor '{}': some of its elements are read and written; "
                      "copy the source by .to(placement) first",
                      from.name())};
    }
  }
}

Task<std::string> described(std::string what, Task<HostArray> read) {
  const HostArray numbers = co_await std::move(read);
  co_return fmt::format("tensor({}{})", what, numbers.has_numbers() ? statistics(numbers) : "");
}

}  // namespace

Tensor::Update::Update(const Tensor& tensor, By by)
    : state_{tensor.state_},
      done_{std::make_shared<Written>(state_->session.sim(), "the writing of " + state_->name)} {
  state_->writers.push_back({.done = done_, .elements = tensor.view_.bounds(), .by = by});
}

Tensor::Update::~Update() {
  if (state_) state_->end(done_);
}

Tensor::Tensor(std::shared_ptr<State> state) : state_{std::move(state)}, view_{state_->shape} {}

Tensor::Tensor(std::shared_ptr<State> state, const View& view) : state_{std::move(state)}, view_{view} {
  if (!view_.whole()) place_ = place_of_slice(*state_, view_);
}

Tensor::Tensor(const Tensor& other, Here at)
    : state_{other.state_}, view_{other.view_}, place_{other.place_} {
  (void)other.alive(at);
}
Tensor::Tensor(Tensor&& other) noexcept = default;
Tensor& Tensor::operator=(const Tensor& other) = default;
Tensor& Tensor::operator=(Tensor&& other) noexcept = default;
Tensor::~Tensor() = default;

Tensor::State& Tensor::alive(const Here& at) const {
  if (state_) return *state_;
  throw UsageError{fmt::format("{}: this tensor was moved from; use what it was moved to, or copy it there",
                               to_string(to_place(at)))};
}

const std::string& Tensor::name(Here at) const { return alive(at).name; }
const Shape& Tensor::shape(Here at) const { return (void)alive(at), view_.shape(); }
DType Tensor::dtype(Here at) const { return alive(at).dtype; }
int Tensor::sip(Here at) const { return alive(at).sip; }

const Tensor::SlicePlace& Tensor::place(const Here& at) const {
  if (place_) return *place_;
  return at_line(at, [&]() -> const SlicePlace& {
    throw UsageError{
        fmt::format("a slice {} of tensor '{}' of {} has no address of its own: its elements don't "
                    "follow each other in the virtual range; copy it to a tensor",
                    to_string(shape()), name(), to_string(state_->shape))};
  });
}

Ptr Tensor::ptr(Here at) const {
  const State& state = alive(at);
  const std::int64_t offset = view_.whole() ? 0 : place(at).offset_bytes;
  return {.va = *state.va + static_cast<std::uint64_t>(offset), .dtype = state.dtype};
}

const std::vector<Shard>& Tensor::shards(Here at) const {
  const State& state = alive(at);
  return view_.whole() ? state.shards : place(at).shards;
}

Tensor Tensor::operator[](const IndexOperand& index) const {
  (void)alive(index.at);
  return {state_, at_line(index.at, [&] { return view_.at(index.index); })};
}
Tensor Tensor::slice(int axis, IndexRange range, Here at) const {
  (void)alive(at);
  return {state_, at_line(at, [&] { return view_.slice(axis, range); })};
}
Tensor Tensor::view(Shape shape, Here at) const {
  (void)alive(at);
  return {state_, at_line(at, [&] { return view_.reshaped(shape); })};
}

std::vector<Upload> Tensor::uploads(const HostArray& contents) const {
  if (contents.shape() != shape() || contents.dtype() != dtype()) {
    throw UsageError{fmt::format("copy_ of {} {} into tensor '{}' of {} {}", to_string(contents.shape()),
                                 to_string(contents.dtype()), name(), to_string(shape()),
                                 to_string(dtype()))};
  }
  return host::uploads(*state_, view_, contents);
}

Tensor::Done Tensor::copy_(HostArray from, Here at) const {
  (void)alive(at);
  std::vector<Upload> parts = at_line(at, [&] { return uploads(from); });
  Events before = state_->written(view_, {Update::By::kernel, Update::By::host, Update::By::source});
  auto update = std::make_shared<const Update>(*this, Update::By::host);
  if (all_set(before)) {
    const hw::OrderWatch::Knowing knowing{state_->session.orders(), known_of(before)};
    return state_->start("copy_", written(update, send(*state_, std::move(parts), update)), at);
  }
  return state_->start("copy_", written_after(std::move(update), state_, std::move(before), std::move(parts)),
                       at);
}

Tensor::Done Tensor::copy_(const Tensor& from, Here at) const {
  (void)alive(at);
  if (from.shape(at) != shape() || from.dtype() != dtype()) {
    throw UsageError{
        fmt::format("{}: copy_ of tensor '{}' of {} {} into tensor '{}' of {} {}: expected equal "
                    "shapes and dtypes; view or cast one",
                    to_string(to_place(at)), from.name(), to_string(from.shape()), to_string(from.dtype()),
                    name(), to_string(shape()), to_string(dtype()))};
  }
  at_line(at, [&] { require_apart(from, *this); });
  return state_->start("copy_", copied(copy_elements({{from, *this}})), at);
}

Task<std::monostate> Tensor::copied(Task<> copy) {
  co_await std::move(copy);
  co_return std::monostate{};
}

Task<HostArray> Tensor::read() const {
  Events before = state_->written();
  if (!all_set(before)) return read_after(state_, view_, std::move(before));
  const hw::OrderWatch::Knowing knowing{state_->session.orders(), known_of(before)};
  return gathered(state_, shape(), begin_reads(*state_, view_));
}

Work<HostArray> Tensor::to_host(Here at) const {
  State& state = alive(at);
  return state.start("to_host", read(), at);
}

Work<std::string> Tensor::text(Here at) const {
  (void)alive(at);
  std::string what =
      fmt::format("name={}, shape={}, dtype={}", name(), to_string(shape()), to_string(dtype()));
  return state_->start("text", described(std::move(what), read()), at);
}

Work<Tensor> Tensor::to(const topology::DPPolicy& placement, Here at) const {
  return to(ToOptions{.placement = placement}, at);
}
Work<Tensor> Tensor::to(int device, Here at) const { return to(ToOptions{.sip = device}, at); }

Work<Tensor> Tensor::to(const ToOptions& where, Here at) const {
  const int device = where.sip.value_or(sip(at));
  const int devices = state_->session.spec().system.sips.count;
  if (device < 0 || device >= devices)
    throw UsageError{fmt::format("{}: to: invalid device ordinal {}: the machine has {} (system.sips.count)",
                                 to_string(to_place(at)), device, counted(devices, "device"))};
  const bool elsewhere = where.cube || where.target_pe;
  const topology::DPPolicy same = elsewhere ? topology::DPPolicy{.num_cubes = 1, .num_pes = 1} : state_->dp;
  const PeCoord origin{.cube = where.cube.value_or(elsewhere ? 0 : state_->origin.cube),
                       .pe = where.target_pe.value_or(elsewhere ? 0 : state_->origin.pe)};
  const auto state = std::shared_ptr<State>{new State{.session = state_->session,
                                                      .works = state_->works,
                                                      .rank = state_->rank,
                                                      .sip = device,
                                                      .name = name(),
                                                      .shape = shape(),
                                                      .dtype = dtype(),
                                                      .dp = where.placement.value_or(same),
                                                      .origin = origin,
                                                      .mem_kind = where.mem_kind.value_or(state_->mem_kind)}};
  state->allocate("to", at);
  Task<hw::Activity> mapped = state->map();
  const Tensor to{state};
  Task<> copy = copy_elements({{*this, to}});
  return state_->start("to", moved(to, std::move(mapped), std::move(copy)), at);
}

Task<Tensor> Tensor::moved(Tensor to, Task<hw::Activity> mapped, Task<> copy) {
  co_await std::move(mapped);
  co_await std::move(copy);
  co_return to;
}

}  // namespace kbsim::host
