#include "objects.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {
namespace {

constexpr std::size_t kPiece = std::size_t{32} << 10;
constexpr int kNone = std::char_traits<char>::eof();

bool is_blank(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string found(int c) {
  if (c == kNone) return "the end of the file";
  return c >= ' ' && c < 127 ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("byte {:#04x}", c);
}

}  // namespace

NocObjects::NocObjects(const std::filesystem::path& file) : name_{file.string()}, piece_(kPiece) {
  if (const std::string why = why_unreadable(file); !why.empty())
    throw UsageError{fmt::format("{}: {}", name_, why)};
  in_.open(file, std::ios::binary);
  if (!in_) throw UsageError{name_ + ": can't be read"};
}

Place NocObjects::here() const {
  return {.file = name_, .line = line_, .column = static_cast<int>(at_ - line_begin_) + 1};
}

Place NocObjects::place(std::size_t in) const {
  Place at = begin_place_;
  for (std::size_t i = 0; i < std::min(in, text_.size()); ++i) {
    const bool ends = text_[i] == '\n';
    at.line += ends ? 1 : 0;
    at.column = ends ? 1 : at.column + 1;
  }
  return at;
}

int NocObjects::peek() {
  if (used_ == filled_) {
    in_.read(piece_.data(), static_cast<std::streamsize>(piece_.size()));
    filled_ = static_cast<std::size_t>(in_.gcount());
    used_ = 0;
    if (filled_ == 0) return kNone;
  }
  return static_cast<unsigned char>(piece_[used_]);
}

int NocObjects::take() {
  const int c = peek();
  if (c == kNone) return c;
  ++used_;
  ++at_;
  if (c == '\n') {
    ++line_;
    line_begin_ = at_;
  }
  return c;
}

int NocObjects::skip_blanks() {
  while (is_blank(peek())) (void)take();
  return peek();
}

void NocObjects::seek(std::uint64_t offset) {
  const std::uint64_t piece = at_ - used_;  // where the piece begins in the file
  if (offset >= piece && offset - piece < filled_) {
    used_ = static_cast<std::size_t>(offset - piece);
  } else {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    used_ = filled_ = 0;
  }
  at_ = offset;
  first_ = true;
}

// The byte order mark takes no column.
void NocObjects::skip_byte_order_mark() {
  (void)peek();
  if (!std::string_view{piece_.data(), filled_}.starts_with(kByteOrderMark)) return;
  used_ = at_ = line_begin_ = kByteOrderMark.size();
}

void NocObjects::open_array() {
  skip_byte_order_mark();
  const int c = skip_blanks();
  if (c != '[') throw InputError{here(), fmt::format("found {}, expected '[': an array of events", found(c))};
  (void)take();
}

void NocObjects::close_array() {
  (void)take();
  const int c = skip_blanks();
  if (c != kNone) throw InputError{here(), fmt::format("found {} after the array", found(c))};
}

bool NocObjects::next(std::uint64_t end) {
  int c = skip_blanks();
  if (at_ >= end) return false;
  if (first_ && c == ']') return false;
  if (!first_) {
    if (c == ']') return false;
    if (c != ',') throw InputError{here(), fmt::format("found {}, expected ',' or ']'", found(c))};
    (void)take();
    c = skip_blanks();
    if (at_ >= end) return false;
  }
  first_ = false;
  if (c != '{') throw InputError{here(), fmt::format("found {}, expected '{{': an event", found(c))};
  read_object();
  return true;
}

void NocObjects::read_object() {
  begin_ = at_;
  begin_place_ = here();
  text_.clear();
  int depth = 0;
  bool quoted = false;
  do {
    const int c = take();
    if (c == kNone) throw InputError{begin_place_, "the file ends within this event"};
    text_ += static_cast<char>(c);
    if (text_.size() > kLargest)
      throw InputError{begin_place_, fmt::format("this event has more than {} bytes", kLargest)};
    if (quoted && c == '\\') {
      text_ += static_cast<char>(take());
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += c == '{' ? 1 : 0;
      depth -= c == '}' ? 1 : 0;
    }
  } while (depth > 0);
}

}  // namespace kbsim::inputs
