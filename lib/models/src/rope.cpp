#include "kbsim/models/rope.hpp"

#include <cmath>
#include <numbers>

namespace kbsim::models {
namespace {

// Llama 3.1: long waves are stretched by the factor, short ones stay, and between them the share of each
// varies evenly with the number of waves in the original context.
double llama3(const Rope& rope, double frequency) {
  const double waves = rope.original_max_positions * frequency / (2.0 * std::numbers::pi);
  if (waves < rope.low_freq_factor) return frequency / rope.factor;
  if (waves > rope.high_freq_factor) return frequency;
  const double kept = (waves - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  return (1.0 - kept) * frequency / rope.factor + kept * frequency;
}

double scaled(const Rope& rope, double frequency) {
  switch (rope.scaling) {
    case RopeScaling::none: return frequency;
    case RopeScaling::linear: return frequency / rope.factor;
    case RopeScaling::llama3: break;
  }
  return llama3(rope, frequency);
}

}  // namespace

std::vector<double> rope_frequencies(const Rope& rope, std::int64_t dims) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < dims; i += 2)
    all.push_back(scaled(rope, std::pow(rope.theta, -static_cast<double>(i) / static_cast<double>(dims))));
  return all;
}

}  // namespace kbsim::models
