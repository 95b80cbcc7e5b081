#include "kbsim/host/host_array.hpp"

#include <algorithm>
#include <mutex>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::host {

/// All bytes; or a block that is repeated, and all bytes after the first request for them.
struct HostArray::Numbers {
  explicit Numbers(std::vector<std::byte> bytes) : block{std::move(bytes)} {}

  std::vector<std::byte> block;
  mutable std::once_flag laid_out;
  mutable std::vector<std::byte> all;
};

namespace {

// UsageError for extents below 0, and for more than 2^50 elements.
Bytes size_of(const Shape& shape, DType dtype) {
  if (std::ranges::any_of(shape.extents(), [](std::int64_t extent) { return extent < 0; }) || !shape.count())
    throw UsageError{fmt::format("HostArray: shape {}, expected extents from 0 and up to 2^50 elements",
                                 to_string(shape))};
  return shape.bytes(dtype);
}

}  // namespace

HostArray::HostArray(Shape shape, DType dtype, std::vector<std::byte> bytes, Here at)
    : shape_{shape}, dtype_{dtype} {
  at_line(at, [&] {
    const Bytes size = size_of(shape, dtype);
    if (size != Bytes{std::ssize(bytes)})
      throw UsageError{fmt::format("HostArray: {} {} takes {}, got {}", to_string(shape), to_string(dtype),
                                   counted(size.count(), "byte"), counted(bytes.size(), "byte"))};
  });
  numbers_ = std::make_shared<const Numbers>(std::move(bytes));
}

HostArray HostArray::repeated(Shape shape, DType dtype, std::vector<std::byte> block, Here at) {
  at_line(at, [&] {
    const Bytes size = size_of(shape, dtype);
    if (block.empty() || Bytes{std::ssize(block)} > size)
      throw UsageError{fmt::format("HostArray: a block of {} for {} {}, expected 1 byte to {}",
                                   counted(block.size(), "byte"), to_string(shape), to_string(dtype),
                                   counted(size.count(), "byte"))};
  });
  HostArray array{shape, dtype};
  array.numbers_ = std::make_shared<const Numbers>(std::move(block));
  return array;
}

HostArray::HostArray(const HostArray& other) = default;
HostArray::HostArray(HostArray&& other) noexcept = default;
HostArray& HostArray::operator=(const HostArray& other) = default;
HostArray& HostArray::operator=(HostArray&& other) noexcept = default;
HostArray::~HostArray() = default;

const HostArray::Numbers& HostArray::numbers() const {
  if (!has_numbers())
    throw UsageError{
        "an array of a run with --timing-only, or one that was moved from, has no numbers to look at; "
        "has_numbers() says so"};
  return *numbers_;
}

bool HostArray::repeats() const {
  return static_cast<std::int64_t>(numbers().block.size()) != shape_.bytes(dtype_).count();
}

const std::vector<std::byte>& HostArray::bytes(Here at) const {
  const Numbers& own = at_line(at, [this]() -> const Numbers& { return numbers(); });
  if (!repeats()) return own.block;
  std::call_once(numbers_->laid_out, [this] {
    numbers_->all.resize(static_cast<std::size_t>(shape_.bytes(dtype_).count()));
    read(0, numbers_->all);
  });
  return numbers_->all;
}

void HostArray::read(std::int64_t first, std::span<std::byte> to) const {
  const std::span block{numbers().block};
  const auto end = first + static_cast<std::int64_t>(to.size());
  ensure(first >= 0 && end <= shape_.bytes(dtype_).count(), "bytes outside their array");
  if (to.empty()) return;
  std::size_t at = static_cast<std::size_t>(first) % block.size();
  while (!to.empty()) {
    const std::size_t n = std::min(block.size() - at, to.size());
    std::ranges::copy(block.subspan(at, n), to.begin());
    to = to.subspan(n);
    at = 0;
  }
}

oplog::KeptBytes HostArray::kept() const {
  return repeats() ? nullptr : oplog::KeptBytes{numbers_, &numbers_->block};
}

std::vector<double> HostArray::to_doubles(Here at) const { return replay::to_doubles(bytes(at), dtype_); }

namespace {

void require_unstopped() {
  if (stop_signal() != 0) throw Interrupted{"interrupted while a tensor's numbers were made"};
}

}  // namespace

HostArray generate(Shape shape, DType dtype, const std::function<double(std::int64_t)>& f,
                   HostArray::Here at) {
  constexpr std::int64_t kAtOnce = 65536;  // elements per step: doubles take eight times a byte's memory
  const Bytes size = at_line(at, [&] {
    if (!f) throw UsageError{"generate: the function is null, expected one of an element's number"};
    return size_of(shape, dtype);
  });
  const std::int64_t all = shape.elements();
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(size.count()));
  std::vector<double> numbers;
  HostWork work{"making a tensor's numbers", "elements", static_cast<std::uint64_t>(all), HostWork::By::user};
  for (std::int64_t i = 0; i < all;) {
    require_unstopped();
    numbers.clear();
    for (const std::int64_t end = std::min(all, i + kAtOnce); i < end; ++i) numbers.push_back(f(i));
    const replay::Buffer some = replay::from_doubles(numbers, dtype);
    bytes.insert(bytes.end(), some.begin(), some.end());
    work.ended(numbers.size());
  }
  return {shape, dtype, std::move(bytes), at};
}

std::string difference(const HostArray& got, const HostArray& expected, HostArray::Here at) {
  if (got.shape() != expected.shape() || got.dtype() != expected.dtype())
    throw UsageError{fmt::format("{}: difference of {} {} and {} {}", to_string(to_place(at)),
                                 to_string(got.dtype()), to_string(got.shape()), to_string(expected.dtype()),
                                 to_string(expected.shape()))};
  if (got.bytes(at) == expected.bytes(at)) return "";
  const std::vector<double> a = got.to_doubles(at);
  const std::vector<double> b = expected.to_doubles(at);
  const auto item = static_cast<std::size_t>(itemsize(got.dtype()));
  const auto differs = [&](std::size_t i) {
    return !std::equal(got.bytes(at).begin() + static_cast<std::ptrdiff_t>(i * item),
                       got.bytes(at).begin() + static_cast<std::ptrdiff_t>((i + 1) * item),
                       expected.bytes(at).begin() + static_cast<std::ptrdiff_t>(i * item));
  };
  const auto elements = std::views::iota(std::size_t{0}, a.size());
  const std::size_t first = *std::ranges::find_if(elements, differs);
  return fmt::format("element {} is {}, expected {}; {} of {} differ", first, a[first], b[first],
                     std::ranges::count_if(elements, differs), a.size());
}

HostArray full(Shape shape, double value, DType dtype, HostArray::Here at) {
  return generate(shape, dtype, [value](std::int64_t) { return value; }, at);
}

}  // namespace kbsim::host
