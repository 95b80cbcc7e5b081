#include <bit>
#include <cmath>

#include <boost/crc.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/file.hpp"

#include "file_format.hpp"

namespace kbsim::oplog {
namespace {

/// Appends numbers as the format has them.
class Writer {
 public:
  void byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void fixed(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    number(value < 0 ? ~(bits << 1) : bits << 1);
  }
  void text(std::string_view value) {
    number(value.size());
    out_.append(value);
  }
  template <class Enum>
  void enumerator(Enum value, Enum last) {
    ensure(value <= last, "the op log's format knows no such enumerator; it needs another version");
    byte(static_cast<std::uint8_t>(value));
  }
  void checksum(std::size_t begin) {
    boost::crc_32_type crc;
    crc.process_bytes(out_.data() + begin, out_.size() - begin);
    fixed(crc.checksum(), static_cast<int>(format::kChecksum));
  }
  void section(std::uint32_t tag, const Writer& contents) {
    const std::size_t begin = out_.size();
    fixed(tag, 4);
    fixed(contents.out_.size(), 8);
    out_.append(contents.out_);
    checksum(begin);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void write(Writer& out, const Shape& shape) {
  out.byte(static_cast<std::uint8_t>(shape.rank()));
  for (const std::int64_t extent : shape.extents()) out.number(static_cast<std::uint64_t>(extent));
}

// A scalar of -0 equals the default, and isn't it.
bool are_default(const Parameters& params) { return params == Parameters{} && !std::signbit(params.scalar); }

void write(Writer& out, const Parameters& params) {
  out.byte(are_default(params) ? 0 : 1);
  if (are_default(params)) return;
  out.enumerator(params.unary, format::kLastUnary);
  out.enumerator(params.binary, format::kLastBinary);
  out.enumerator(params.ternary, format::kLastTernary);
  out.enumerator(params.reduce, format::kLastReduce);
  out.enumerator(params.nan, format::kLastNan);
  out.enumerator(params.round, format::kLastRound);
  out.byte(params.indices ? 1 : 0);
  out.byte(static_cast<std::uint8_t>(params.axis));
  for (const std::int8_t axis : params.axes) out.byte(static_cast<std::uint8_t>(axis));
  out.fixed(std::bit_cast<std::uint64_t>(params.scalar), 8);
}

void write(Writer& out, const Operand& input) {
  out.enumerator(input.dtype, format::kLastDType);
  write(out, input.shape);
  out.number(input.slices.size());
  for (const Slice& slice : input.slices) {
    out.number(slice.value.valid() ? std::uint64_t{slice.value.lane} + 1 : 0);
    out.number(slice.value.seq);
    out.number(static_cast<std::uint64_t>(slice.offset));
    out.number(static_cast<std::uint64_t>(slice.bytes));
  }
}

// `start` is the one of the lane's previous operation.
void write(Writer& out, const Op& op, Time* start) {
  if (!op.id.valid()) return out.byte(format::kNotRecorded);
  out.enumerator(op.kind, format::kLastKind);
  out.enumerator(op.dtype, format::kLastDType);
  write(out, op.shape);
  out.number(op.unit.valid() ? std::uint64_t{op.unit.value()} + 1 : 0);
  out.signed_number((op.start - *start).count());
  out.signed_number((op.end - op.start).count());
  *start = op.start;
  write(out, op.params);
  out.number(op.inputs.size());
  for (const Operand& input : op.inputs) write(out, input);
  out.byte(op.data ? 1 : 0);
  if (!op.data) return;
  const KeptBytes data = op.data.all();
  out.text({reinterpret_cast<const char*>(data->data()), data->size()});
}

void write(Writer& out, const std::vector<NamedRange>& ranges) {
  out.number(ranges.size());
  Time begin{};
  for (const NamedRange& range : ranges) {
    out.text(range.name);
    out.signed_number((range.begin - begin).count());
    out.signed_number((range.end - range.begin).count());
    begin = range.begin;
  }
}

Writer lane_of(const OpLog& log, std::uint32_t lane) {
  Writer out;
  out.text(log.lane_name(lane));
  out.number(log.ops(lane).size());
  Time start{};
  for (const Op& op : log.ops(lane)) write(out, op, &start);
  write(out, log.ranges(lane));
  return out;
}

}  // namespace

std::string encode(const OpLog& log) {
  Writer out;
  for (const char c : format::kMagic) out.byte(static_cast<std::uint8_t>(c));
  out.fixed(format::kVersion, 4);
  out.checksum(0);
  for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) out.section(format::kLane, lane_of(log, lane));
  Writer end;
  end.number(log.lanes());
  end.number(log.size());
  out.section(format::kEnd, end);
  return out.take();
}

}  // namespace kbsim::oplog
