#include "kbsim/models/model_step.hpp"

#include <cstddef>

namespace kbsim::models {
namespace {

std::int64_t sum_of_sequences(const Step& step, const auto& part) {
  std::int64_t sum = 0;
  for (const SequenceRows& sequence : step.sequences) sum += part(sequence);
  return sum;
}

Step equal_sequences(const SequenceRows& sequence, std::int64_t batch) {
  return {.sequences = std::vector(static_cast<std::size_t>(batch), sequence)};
}

}  // namespace

std::int64_t Step::rows() const {
  return sum_of_sequences(*this, [](const SequenceRows& one) { return one.rows; });
}

std::int64_t Step::logit_rows() const {
  return sum_of_sequences(*this, [](const SequenceRows& one) { return one.logit_rows; });
}

std::int64_t Step::keys_seen(std::int64_t window) const {
  return sum_of_sequences(*this,
                          [&](const SequenceRows& one) { return models::keys_seen(one.attention(window)); });
}

std::int64_t Step::keys_touched(std::int64_t window) const {
  return sum_of_sequences(*this, [&](const SequenceRows& one) {
    const KeyRange touched = models::keys_touched(one.attention(window));
    return touched.end - touched.first;
  });
}

Step prefill_step(std::int64_t tokens, std::int64_t batch) {
  return equal_sequences({.rows = tokens}, batch);
}

Step decode_step(std::int64_t context, std::int64_t batch) {
  return equal_sequences({.context = context}, batch);
}

}  // namespace kbsim::models
