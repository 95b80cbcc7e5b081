#include "kbsim/report/span_log.hpp"

namespace kbsim::report {

void SpanLog::note_span(Note what, const hw::Span& span, const void* key) {
  note(what);
  hw::Span& noted = spans_.emplace_back(key, span).span;
  noted.part = kept(span.part);
  noted.what = kept(span.what);
  noted.detail = kept(span.detail);
}

void SpanLog::close(const void* key, Time end, const hw::SpanFlow& flow) {
  note(Note::close);
  closed_.push_back({.key = key, .end = end, .flow = flow});
}

void SpanLog::take(const hw::Taken& what) {
  note(Note::take);
  taken_.push_back(what);
  taken_.back().part = kept(what.part);
}

void SpanLog::flush() {
  for (hw::ISpans* const to : all_) {
    auto span = spans_.cbegin();
    auto link = links_.cbegin();
    auto fine = fine_.cbegin();
    auto closed = closed_.cbegin();
    auto taken = taken_.cbegin();
    for (const Note what : notes_) {
      switch (what) {
        case Note::add: to->add((span++)->span); break;
        case Note::link: to->add_packet(*link++); break;
        case Note::fine: {
          const Fine& one = *fine++;
          to->add({.kind = one.kind,
                   .unit = one.unit,
                   .link = one.link,
                   .part = one.part,
                   .what = one.what,
                   .ready = one.ready,
                   .start = one.start,
                   .end = one.end,
                   .bytes = one.bytes,
                   .count = one.count,
                   .id = one.id});
          break;
        }
        case Note::open: to->open(span->key, span->span), ++span; break;
        case Note::close: to->close(closed->key, closed->end, closed->flow), ++closed; break;
        case Note::take: to->take(*taken++); break;
      }
    }
  }
  notes_.clear();
  spans_.clear();
  links_.clear();
  fine_.clear();
  closed_.clear();
  taken_.clear();
}

}  // namespace kbsim::report
