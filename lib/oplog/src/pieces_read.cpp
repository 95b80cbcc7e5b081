#include "kbsim/oplog/pieces_read.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"

namespace kbsim::oplog {
namespace {

const WorkKind kPieces{"contents of memories"};

// Appends a slice; joins it to the last one if it continues that.
void append(Slices& slices, const Slice& next) {
  if (!slices.empty()) {
    Slice& last = slices.back();
    const bool goes_on = !next.value.valid() || last.offset + last.bytes == next.offset;
    if (last.value == next.value && goes_on) {
      last.bytes += next.bytes;
      return;
    }
  }
  slices.push_back(next);
}

}  // namespace

void PiecesRead::add(std::int64_t at, const Slice& slice) {
  if (!slice.value.valid() || slice.bytes == 0) return;
  const WorkScope scope{kPieces};
  const std::int64_t shift = slice.offset - at;
  if (!rows_.empty()) {
    Rows& last = rows_.back();
    const std::int64_t behind = at - last.at;
    const bool alike = last.value == slice.value && last.shift == shift && last.bytes == slice.bytes;
    if (alike && behind > 0 && (last.count == 1 || behind == last.pitch * last.count)) {
      last.pitch = behind / last.count;
      ++last.count;
      return;
    }
  }
  rows_.push_back({.at = at, .bytes = slice.bytes, .value = slice.value, .shift = shift});
}

// No piece is there twice. So if all are of one value, each at its place, and add up to the array, they are
// the array.
bool PiecesRead::are_one(std::int64_t bytes) const {
  std::int64_t sum = 0;
  for (const Rows& rows : rows_) {
    if (rows.value != rows_.front().value || rows.shift != rows_.front().shift) return false;
    sum += rows.bytes * rows.count;
  }
  return !rows_.empty() && sum == bytes;
}

// All pieces, one by one, by place.
std::vector<PiecesRead::Rows> PiecesRead::pieces() const {
  std::vector<Rows> found;
  for (const Rows& rows : rows_) {
    for (std::int64_t i = 0; i < rows.count; ++i)
      found.push_back(
          {.at = rows.at + i * rows.pitch, .bytes = rows.bytes, .value = rows.value, .shift = rows.shift});
  }
  std::ranges::sort(found, {}, &Rows::at);
  return found;
}

Slices PiecesRead::all(std::int64_t bytes) const {
  const WorkScope scope{kPieces};
  if (are_one(bytes)) return {{.value = rows_.front().value, .offset = rows_.front().shift, .bytes = bytes}};
  Slices slices;
  std::int64_t end = 0;
  for (const Rows& piece : pieces()) {
    ensure(piece.at >= end, "a piece of an array was read twice");
    if (piece.at > end) append(slices, {.value = {}, .offset = 0, .bytes = piece.at - end});
    append(slices, {.value = piece.value, .offset = piece.at + piece.shift, .bytes = piece.bytes});
    end = piece.at + piece.bytes;
  }
  ensure(end <= bytes, "a piece beyond the end of its array");
  if (end < bytes) append(slices, {.value = {}, .offset = 0, .bytes = bytes - end});
  return slices;
}

}  // namespace kbsim::oplog
