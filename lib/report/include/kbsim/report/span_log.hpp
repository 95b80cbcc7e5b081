#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kbsim/hw/fabric/i_spans.hpp"

namespace kbsim::report {

/// Notes spans as they arrive, and passes them to several receivers in order, a few thousand at a time. So
/// their work isn't done between two events. Holds at most kMost notes, some 200 bytes each, and each text
/// once.
class SpanLog final : public hw::ISpans {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 15U;

  SpanLog() {
    notes_.reserve(kMost);
    links_.reserve(kMost);
  }

  /// Adds a receiver; null adds none.
  void add_to(hw::ISpans* spans) {
    if (spans != nullptr) all_.push_back(spans);
  }
  /// Passes all notes to the receivers.
  void flush();

  void add(const hw::Span& span) override {
    if (span.kind < hw::SpanKind::port) return note_span(Note::add, span, nullptr);
    note(Note::fine);
    fine_.push_back({.kind = span.kind,
                     .unit = span.unit,
                     .link = span.link,
                     .part = kept(span.part),
                     .what = kept(span.what),
                     .ready = span.ready,
                     .start = span.start,
                     .end = span.end,
                     .bytes = span.bytes,
                     .count = span.count,
                     .id = span.id});
  }
  void add_packet(const hw::LinkSpan& span) override {
    note(Note::link);
    links_.push_back(span);
  }
  void open(const void* key, const hw::Span& span) override { note_span(Note::open, span, key); }
  void close(const void* key, Time end, const hw::SpanFlow& flow) override;
  void take(const hw::Taken& what) override;

 private:
  enum class Note : std::uint8_t { add, link, fine, open, close, take };
  // A span of a memory port, or of a link that isn't reported by add_packet(), with the fields that such a
  // span has.
  struct Fine {
    hw::SpanKind kind;
    NodeId unit;
    LinkId link;
    std::string_view part;
    std::string_view what;
    Time ready;
    Time start;
    Time end;
    Bytes bytes;
    std::uint64_t count;
    std::uint64_t id;
  };
  struct Opened {
    const void* key;
    hw::Span span;
  };
  struct Closed {
    const void* key;
    Time end;
    hw::SpanFlow flow;
  };

  [[gnu::always_inline]] void note(Note what) {
    if (notes_.size() == kMost) [[unlikely]]
      flush();
    notes_.push_back(what);
  }
  void note_span(Note what, const hw::Span& span, const void* key);
  // A copy that outlives the call; most texts stay in place and are found again.
  [[nodiscard]] std::string_view kept(std::string_view text) {
    if (text.empty()) return {};
    std::string_view& known = known_[reinterpret_cast<std::uintptr_t>(text.data()) / 8 % known_.size()];
    if (known != text) [[unlikely]]
      known = *texts_.emplace(text).first;
    return known;
  }

  std::vector<hw::ISpans*> all_;
  std::vector<Note> notes_;  // the kind of each note
  std::vector<hw::LinkSpan> links_;
  std::vector<Fine> fine_;
  std::vector<Opened> spans_;  // added or opened
  std::vector<Closed> closed_;
  std::vector<hw::Taken> taken_;
  std::unordered_set<std::string> texts_;
  std::array<std::string_view, 64> known_;  // by the address of a text
};

}  // namespace kbsim::report
