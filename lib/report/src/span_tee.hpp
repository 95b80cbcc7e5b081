#pragma once

#include <vector>

#include "kbsim/hw/fabric/i_spans.hpp"

namespace kbsim::report {

/// Gives each span to several.
class SpanTee final : public hw::ISpans {
 public:
  /// None if it is null.
  void add_to(hw::ISpans* spans) {
    if (spans != nullptr) all_.push_back(spans);
  }

  void add(const hw::Span& span) override {
    for (hw::ISpans* one : all_) one->add(span);
  }
  void open(const void* key, const hw::Span& span) override {
    for (hw::ISpans* one : all_) one->open(key, span);
  }
  void close(const void* key, Time end, const hw::SpanFlow& flow) override {
    for (hw::ISpans* one : all_) one->close(key, end, flow);
  }
  void take(const hw::Taken& what) override {
    for (hw::ISpans* one : all_) one->take(what);
  }

 private:
  std::vector<hw::ISpans*> all_;
};

}  // namespace kbsim::report
