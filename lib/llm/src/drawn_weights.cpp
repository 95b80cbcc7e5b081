#include "kbsim/llm/drawn_weights.hpp"

#include <array>
#include <cmath>
#include <initializer_list>

#include "kbsim/replay/numbers.hpp"

namespace kbsim::inference {
namespace {

using models::Weight;

std::uint64_t mixed(std::uint64_t seed, std::initializer_list<std::int64_t> place) {
  std::uint64_t z = seed;
  for (const std::int64_t index : place) {
    z += 0x9E37'79B9'7F4A'7C15U * (static_cast<std::uint64_t>(index) + 1);
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBU;
    z ^= z >> 31U;
  }
  return z;
}

// In [-1, 1).
double drawn(std::uint64_t seed, std::initializer_list<std::int64_t> place) {
  return static_cast<double>(mixed(seed, place) >> 11U) * 0x1p-52 - 1.0;
}

double scale_of(std::int64_t inputs) { return std::sqrt(3.0 / static_cast<double>(inputs)); }

bool is_norm_of_rows(Weight weight) {
  return weight == Weight::input_norm || weight == Weight::post_norm || weight == Weight::final_norm;
}
bool is_norm_of_heads(Weight weight) { return weight == Weight::q_norm || weight == Weight::k_norm; }

}  // namespace

DrawnWeights::DrawnWeights(const models::ModelConfig& model, std::uint64_t seed)
    : seed_{seed},
      dtype_{model.torch_dtype},
      norm_plus_one_{model.norm_plus_one},
      vocabulary_{model.vocab_size},
      hidden_{scale_of(model.hidden_size)},
      heads_{scale_of(model.q_width())},
      inner_{scale_of(model.intermediate_size)} {}

double DrawnWeights::operator()(Weight weight, std::int64_t layer, std::int64_t row,
                                std::int64_t column) const {
  const double number = drawn(seed_, {static_cast<std::int64_t>(weight), layer, row, column});
  if (is_norm_of_heads(weight) || (is_norm_of_rows(weight) && !norm_plus_one_))
    return rounded(1.0 + 0.25 * number);
  switch (weight) {
    case Weight::embedding: return rounded(number);
    case Weight::output: return rounded(heads_ * number);
    case Weight::down: return rounded(inner_ * number);
    case Weight::q:
    case Weight::k:
    case Weight::v:
    case Weight::gate:
    case Weight::up:
    case Weight::head: return rounded(hidden_ * number);
    default: return rounded(0.25 * number);  // biases, positions, norms that multiply by 1 + weight
  }
}

double DrawnWeights::cached(int which, std::int64_t layer, std::int64_t sequence, std::int64_t position,
                            std::int64_t column) const {
  return rounded(drawn(seed_, {1000 + which, layer, sequence, position, column}));
}

std::int64_t DrawnWeights::token(std::int64_t sequence, std::int64_t position) const {
  return static_cast<std::int64_t>(mixed(seed_, {2000, sequence, position}) %
                                   static_cast<std::uint64_t>(vocabulary_));
}

double DrawnWeights::rounded(double number) const {
  const std::array one{number};
  return replay::element(replay::from_doubles(one, dtype_), dtype_, 0);
}

}  // namespace kbsim::inference
