#include <bit>
#include <limits>

#include <boost/crc.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/oplog/file.hpp"

#include "file_format.hpp"
#include "file_graph.hpp"
#include "file_reader.hpp"

namespace kbsim::oplog {
namespace {

constexpr std::uint64_t kMostId = std::numeric_limits<std::uint32_t>::max();

Shape read_shape(FileReader& in, DType dtype) {
  const std::uint8_t rank = in.byte();
  if (rank > Shape::kMaxRank) in.fail_before(1, fmt::format("a shape of rank {}", rank));
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::int64_t room = format::kLargestValue / itemsize(dtype);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::uint64_t extent = in.number();
    if (extent == 0) in.fail("an extent of 0");
    if (extent > static_cast<std::uint64_t>(room))
      in.fail(fmt::format("a value of more than {} bytes", format::kLargestValue));
    extents[axis] = static_cast<std::int64_t>(extent);
    room /= extents[axis];
  }
  return Shape::of(std::span{extents}.first(rank));
}

Parameters read_parameters(FileReader& in) {
  Parameters params;
  if (in.byte() == 0) return params;
  params.unary = in.enumerator(format::kLastUnary, "unary operation");
  params.binary = in.enumerator(format::kLastBinary, "binary operation");
  params.ternary = in.enumerator(format::kLastTernary, "ternary operation");
  params.reduce = in.enumerator(format::kLastReduce, "reduction");
  params.nan = in.enumerator(format::kLastNan, "rule for NaN");
  params.round = in.enumerator(format::kLastRound, "rounding");
  params.indices = in.byte() != 0;
  params.axis = static_cast<std::int8_t>(in.byte());
  for (std::int8_t& axis : params.axes) axis = static_cast<std::int8_t>(in.byte());
  params.scalar = std::bit_cast<double>(in.fixed(8));
  return params;
}

// An index that is stored plus one, 0 for none.
std::uint32_t read_id(FileReader& in) {
  const std::uint64_t id = in.number();
  if (id > kMostId) in.fail(fmt::format("an index of {}", id));
  return id == 0 ? ValueId::kNone : static_cast<std::uint32_t>(id - 1);
}

std::int64_t read_size(FileReader& in) {
  const std::uint64_t size = in.number();
  if (size > format::kLargestValue) in.fail(fmt::format("a slice at or of {} bytes", size));
  return static_cast<std::int64_t>(size);
}

Operand read_operand(FileReader& in) {
  Operand input;
  input.dtype = in.enumerator(format::kLastDType, "dtype");
  input.shape = read_shape(in, input.dtype);
  for (std::size_t n = in.count(); n > 0; --n) {
    Slice slice;
    slice.value.lane = read_id(in);
    const std::uint64_t seq = in.number();
    if (seq > kMostId) in.fail(fmt::format("a value of number {}", seq));
    slice.value.seq = static_cast<std::uint32_t>(seq);
    slice.offset = read_size(in);
    slice.bytes = read_size(in);
    input.slices.push_back(slice);
  }
  return input;
}

Time later(FileReader& in, Time than) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(than.count(), in.signed_number(), &sum)) in.fail("a time beyond simulated time");
  return Time{sum};
}

// All of an operation but for its id. `start` is the one of the lane's previous operation.
Op read_op(FileReader& in, OpKind kind, Time* start) {
  Op op;
  op.kind = kind;
  op.dtype = in.enumerator(format::kLastDType, "dtype");
  op.shape = read_shape(in, op.dtype);
  op.unit = NodeId{read_id(in)};
  op.start = *start = later(in, *start);
  op.end = later(in, op.start);
  op.params = read_parameters(in);
  for (std::size_t n = in.count(); n > 0; --n) op.inputs.push_back(read_operand(in));
  if (in.byte() == 0) return op;
  const std::span<const std::byte> data = in.bytes(in.count());
  op.data = std::make_shared<const std::vector<std::byte>>(data.begin(), data.end());
  return op;
}

// `begin` is the one of the lane's previous range.
NamedRange read_range(FileReader& in, Time* begin) {
  NamedRange range{.name = in.text()};
  range.begin = *begin = later(in, *begin);
  range.end = later(in, range.begin);
  return range;
}

/// Puts a log together from its file.
class Decoder {
 public:
  Decoder(std::span<const std::byte> file, const std::string& name) : file_{file}, name_{name} {}

  OpLog decode() {
    header();
    while (!ended_) section();
    if (at_ != file_.size()) fail(counted(file_.size() - at_, "byte") + " after the end");
    check_graph(log_, [this](const ValueId& id, const std::string& text) {
      at_ = offsets_[id.lane][id.seq];
      fail(text);
    });
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    FileReader{name_, file_.subspan(at_), at_}.fail(text);
  }

  // The next `n` bytes and, after them, their checksum.
  FileReader checked(std::size_t n, const char* of) {
    const std::size_t left = file_.size() - at_;
    if (left < n || left - n < format::kChecksum)
      fail(fmt::format("the file ends in the middle of {}: it is truncated", of));
    FileReader part{name_, file_.subspan(at_, n), at_};
    boost::crc_32_type crc;
    crc.process_bytes(file_.data() + at_, n);
    FileReader sum{name_, file_.subspan(at_ + n, format::kChecksum), at_ + n};
    if (sum.fixed(format::kChecksum) != crc.checksum())
      fail(fmt::format("the checksum of {} is wrong: the file is damaged", of));
    at_ += n + format::kChecksum;
    return part;
  }

  void header() {
    const std::size_t n = std::min(format::kMagic.size(), file_.size());
    const std::string_view begin{reinterpret_cast<const char*>(file_.data()), n};
    if (begin != format::kMagic.substr(0, n))
      fail("not an op log: it doesn't begin with " + std::string{format::kMagic});
    FileReader in = checked(format::kHeader - format::kChecksum, "the header");
    (void)in.bytes(format::kMagic.size());
    const std::uint64_t version = in.fixed(4);
    if (version == format::kVersion) return;
    in.fail_before(
        4, fmt::format("an op log of version {}; this kbsim reads version {}", version, format::kVersion));
  }

  void section() {
    if (file_.size() - at_ < format::kSectionHead)
      fail("the file ends before its end section: it is truncated");
    FileReader head{name_, file_.subspan(at_, format::kSectionHead), at_};
    const std::uint64_t tag = head.fixed(4);
    const std::uint64_t length = head.fixed(8);
    if (length > file_.size())
      fail(fmt::format("a section of {} bytes in a file of {}: truncated, or damaged", length, file_.size()));
    FileReader in = checked(format::kSectionHead + length, "a section");
    (void)in.bytes(format::kSectionHead);
    if (tag == format::kLane) {
      lane(in);
    } else if (tag == format::kEnd) {
      end(in);
    } else {
      in.fail_before(format::kSectionHead, fmt::format("an unknown section {:#010x}", tag));
    }
    if (in.left() > 0) in.fail(fmt::format("{} bytes are left of the section", in.left()));
  }

  void lane(FileReader& in) {
    const std::uint32_t lane = log_.add_lane(in.text());
    offsets_.emplace_back();
    Time start{};
    for (std::size_t n = in.count(); n > 0; --n) {
      offsets_.back().push_back(in.offset());
      const ValueId id = log_.reserve(lane);
      const std::uint8_t kind = in.byte();
      if (kind == format::kNotRecorded) continue;
      if (kind > static_cast<std::uint8_t>(format::kLastKind))
        in.fail_before(1, "there is no such operation");
      Op op = read_op(in, static_cast<OpKind>(kind), &start);
      op.id = id;
      record(std::move(op));
    }
    ranges(in, lane);
  }

  void ranges(FileReader& in, std::uint32_t lane) {
    Time begin{};
    for (std::size_t n = in.count(); n > 0; --n) log_.add_range(lane, read_range(in, &begin));
  }

  void record(Op op) {
    const std::size_t offset = offsets_.back().back();
    try {
      log_.record(std::move(op));
    } catch (const InternalError& error) {
      at_ = offset;
      fail(error.what());
    }
  }

  void end(FileReader& in) {
    const std::uint64_t lanes = in.number();
    const std::uint64_t recorded = in.number();
    if (lanes != log_.lanes() || recorded != log_.size()) {
      in.fail(fmt::format("the end names {} operations on {} lanes, but there are {} on {}", recorded, lanes,
                          log_.size(), log_.lanes()));
    }
    ended_ = true;
  }

  std::span<const std::byte> file_;
  const std::string& name_;
  std::size_t at_ = 0;
  bool ended_ = false;
  OpLog log_;
  std::vector<std::vector<std::size_t>> offsets_;  // of operations, by lane and number
};

}  // namespace

OpLog decode(std::span<const std::byte> file, const std::string& name) {
  return Decoder{file, name}.decode();
}

}  // namespace kbsim::oplog
