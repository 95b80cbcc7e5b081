// Tensors from several: cat and stack, which move elements and compute nothing.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/sim/when_all.hpp"

#include "device_copy.hpp"
#include "operator_launch.hpp"
#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

OperatorCall joining(std::string_view name, std::vector<TensorOperand> tensors, OperatorOptions options,
                     std::source_location at) {
  OperatorCall call{.name = name, .at = at, .inputs = std::move(tensors), .options = std::move(options)};
  call.require(!call.inputs.empty(), "expected a non-empty list of tensors");
  return call;
}

// A dimension that counts from 0, below `dimensions`.
int dimension(const OperatorCall& call, int dim, int dimensions) {
  const int found = dim < 0 ? dim + dimensions : dim;
  call.require(found >= 0 && found < dimensions,
               fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                           -dimensions, dimensions - 1, dim));
  return found;
}

// All inputs are like the first one, apart from dimension `joined`.
void require_alike(const OperatorCall& call, int joined) {
  const Tensor& first = call.input(0);
  for (const TensorOperand& input : call.inputs) {
    const Tensor& tensor = input.tensor();
    bool alike = tensor.shape().rank() == first.shape().rank();
    for (int dim = 0; alike && dim < first.shape().rank(); ++dim)
      alike = dim == joined || tensor.shape()[dim] == first.shape()[dim];
    call.require(alike, fmt::format("'{}' is {}, but '{}' is {}", first.name(), to_string(first.shape()),
                                    tensor.name(), to_string(tensor.shape())));
    call.require(tensor.dtype() == first.dtype(),
                 fmt::format("'{}' is {}, but '{}' is {}; cast one", first.name(), to_string(first.dtype()),
                             tensor.name(), to_string(tensor.dtype())));
  }
  require_one_device(call);
}

Tensor given(const OperatorCall& call, const Shape& shape) {
  const Tensor& out = *call.options.out;
  const Tensor& first = call.input(0);
  call.require(
      out.shape() == shape && out.dtype() == first.dtype(),
      fmt::format("the result is {} {}, but out '{}' is {} {}", to_string(shape), to_string(first.dtype()),
                  out.name(), to_string(out.shape()), to_string(out.dtype())));
  for (const TensorOperand& input : call.inputs)
    call.require(input.tensor().state() != out.state(), fmt::format("out '{}' is an input, too", out.name()));
  return out;
}

Task<Tensor> joined(Tensor out, std::vector<Task<hw::Activity>> mapped, Task<> copies,
                    std::vector<TensorOperand> inputs) {
  co_await when_all(std::move(mapped));
  for (const TensorOperand& input : inputs) {
    if (input.work()) co_await *input.work();
  }
  co_await std::move(copies);
  co_return out;
}

// Copies input i to part i of the result.
PendingTensor join(OperatorCall call, const Shape& shape, const std::vector<IndexRange>& parts, int dim) {
  const bool fresh = !call.options.out;
  const Tensor out = fresh ? new_tensor(call, shape, call.input(0).dtype(), placement_of(call.input(0)))
                           : given(call, shape);
  Tensor::State& state = *out.state();
  std::vector<Task<hw::Activity>> mapped;
  if (fresh) mapped.push_back(state.map());
  std::vector<ElementCopy> copies;
  for (std::size_t i = 0; i < parts.size(); ++i) copies.push_back({call.input(i), out.slice(dim, parts[i])});
  return {
      state.start(call.name,
                  joined(out, std::move(mapped), copy_elements(std::move(copies)), std::move(call.inputs)),
                  call.at),
      out};
}

Shape with(const Shape& shape, int dim, std::int64_t extent, bool added) {
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  const auto at = static_cast<std::size_t>(dim);
  const auto rank = static_cast<std::size_t>(shape.rank());
  std::ranges::copy(shape.extents().first(at), extents.begin());
  extents[at] = extent;
  const auto rest = shape.extents().subspan(added ? at : at + 1);
  std::ranges::copy(rest, extents.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  return Shape::of({extents.data(), added ? rank + 1 : rank});
}

}  // namespace

PendingTensor cat(TensorList tensors, int dim, OperatorOptions options, std::source_location at) {
  OperatorCall call = joining("cat", tensors.take(), std::move(options), at);
  const Shape first = call.input(0).shape();
  call.require(first.rank() > 0,
               fmt::format("'{}' is a scalar, which can't be joined; stack it", call.input(0).name()));
  const int along = dimension(call, dim, first.rank());
  require_alike(call, along);
  std::vector<IndexRange> parts;
  std::int64_t end = 0;
  for (const TensorOperand& input : call.inputs) {
    parts.push_back({end, end + input.tensor().shape()[along]});
    end = parts.back().end;
  }
  return join(std::move(call), with(first, along, end, false), parts, along);
}

PendingTensor stack(TensorList tensors, int dim, OperatorOptions options, std::source_location at) {
  OperatorCall call = joining("stack", tensors.take(), std::move(options), at);
  const Shape first = call.input(0).shape();
  call.require(first.rank() < Shape::kMaxRank,
               fmt::format("'{}' has {} dimensions, which leaves none for another", call.input(0).name(),
                           first.rank()));
  const int along = dimension(call, dim, first.rank() + 1);
  require_alike(call, -1);
  std::vector<IndexRange> parts;
  const auto count = static_cast<std::int64_t>(call.inputs.size());
  for (std::int64_t i = 0; i < count; ++i) parts.push_back({i, i + 1});
  return join(std::move(call), with(first, along, count, true), parts, along);
}

}  // namespace kbsim::host
