#include "kbsim/llm/equal_segments.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inference {
namespace {

// One key for all ranks, with what the memories look at.
std::string key_of(const std::vector<SegmentPart>& parts, std::int64_t period) {
  std::string key;
  for (const SegmentPart& part : parts) {
    key += part.key + ";";
    for (std::size_t i = 0; period != 1 && i < part.addresses.size(); ++i)
      key += fmt::format(" {:x}", part.addresses[i] % static_cast<std::uint64_t>(period));
  }
  return key;
}

}  // namespace

EqualSegments::EqualSegments(hw::Machine& machine, OnRepeat on, int ranks)
    : repeats_{machine},
      on_{on},
      meeting_{machine.sim(), ranks},
      parts_(static_cast<std::size_t>(ranks)),
      spans_(static_cast<std::size_t>(ranks)) {}

Task<> EqualSegments::begin(int rank, SegmentPart part) {
  parts_[static_cast<std::size_t>(rank)] = std::move(part);
  co_await meeting_.join([this] { all_begin(); });
}

void EqualSegments::all_begin() {
  equal_ = nullptr;
  border_ = off_ ? std::nullopt : repeats_.border();
  if (!border_) return;
  if (!border_->refused.empty()) refuse(border_->refused);
  key_ = key_of(parts_, border_->addresses);
  equal_ = find_equal();
}

const EqualSegments::Known* EqualSegments::find_equal() const {
  const auto [first, last] = known_.equal_range(key_);
  const auto equal = std::find_if(
      first, last, [&](const auto& known) { return hw::Repeats::can_repeat(known.second.work, *border_); });
  return equal != last ? &equal->second : nullptr;
}

std::vector<OperationSpan> EqualSegments::spans(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  std::vector<OperationSpan> spans = equal_->spans[at];
  for (OperationSpan& span : spans) {
    span = shifted(std::move(span), border_->at - equal_->work.begin.at);
    if (span.layer >= 0) span.layer += parts_[at].layer - equal_->layers[at];
  }
  return spans;
}

Task<> EqualSegments::end(int rank, std::vector<OperationSpan> spans) {
  spans_[static_cast<std::size_t>(rank)] = std::move(spans);
  co_await meeting_.join([this] { all_end(); });
}

void EqualSegments::all_end() {
  if (skips()) {
    repeats_.repeat(equal_->work);
    ++counts_.repeated;
    return;
  }
  ++counts_.simulated;
  if (!border_) return;
  std::optional<hw::BorderState> end = repeats_.border();
  if (equal_ != nullptr) {
    verify(end);
    ++counts_.repeated;
  } else if (end) {
    std::vector<std::int64_t> layers;
    for (const SegmentPart& part : parts_) layers.push_back(part.layer);
    known_.emplace(key_, Known{{std::move(*border_), std::move(*end)}, std::move(layers), spans_});
  }
}

void EqualSegments::verify(const std::optional<hw::BorderState>& end) const {
  const std::string difference =
      end ? repeats_.difference(equal_->work, {*border_, *end}) : "something is under way at its end";
  if (difference.empty()) return;
  throw InternalError{
      fmt::format("--verify-repeats: {} at {} equals an earlier segment, and differs from it: {}", key_,
                  kbsim::to_string(border_->at), difference)};
}

void EqualSegments::refuse(std::string why) {
  off_ = true;
  if (counts_.refused.empty()) counts_.refused = std::move(why);
}

}  // namespace kbsim::inference
