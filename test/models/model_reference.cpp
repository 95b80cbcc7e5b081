// Logits of small models against numbers by hand.
#include "kbsim/models/model_reference.hpp"

#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "small_models.hpp"

namespace kbsim::models::test::model_reference_test {
namespace {

// Hidden size 2, one head, no position, no eps: what a person can follow.
ModelConfig tiny() {
  ModelConfig model;
  model.hidden_size = 2;
  model.num_attention_heads = 1;
  model.num_key_value_heads = 1;
  model.head_dim = 2;
  model.intermediate_size = 1;
  model.vocab_size = 3;
  model.norm_eps = 0.0;
  model.positions = Positions::none;
  return model;
}

constexpr std::array<std::array<double, 2>, 3> kEmbedding{{{3.0, 4.0}, {1.0, 0.0}, {0.0, -2.0}}};

bool is_norm(Weight weight) {
  return weight == Weight::input_norm || weight == Weight::post_norm || weight == Weight::final_norm;
}

// The embedding above, norms of ones, a head of (x, y, x + y); all else is zero.
double silent(Weight weight, std::int64_t, std::int64_t row, std::int64_t column) {
  if (weight == Weight::embedding) return kEmbedding.at(row).at(column);
  if (weight == Weight::head) return column == row || column == 2 ? 1.0 : 0.0;
  return is_norm(weight) ? 1.0 : 0.0;
}

// The same, with attention by unit matrices.
double attentive(Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
  const bool unit =
      weight == Weight::q || weight == Weight::k || weight == Weight::v || weight == Weight::output;
  return unit && row == column ? 1.0 : silent(weight, layer, row, column);
}

void check_row(const std::vector<double>& logits, std::size_t row, double x, double y) {
  CHECK(logits.at(3 * row) == doctest::Approx(x));
  CHECK(logits.at(3 * row + 1) == doctest::Approx(y));
  CHECK(logits.at(3 * row + 2) == doctest::Approx(x + y));
}

// x, y by the root of their mean square.
std::array<double, 2> unit_rms(double x, double y) {
  const double root = std::sqrt((x * x + y * y) / 2.0);
  return {x / root, y / root};
}

}  // namespace

TEST_CASE("ReferenceModel: embedding, final norm and head") {
  const std::vector<double> logits = prefill(tiny(), {0, 2}, silent);
  REQUIRE(logits.size() == 6);
  check_row(logits, 0, 3.0 / std::sqrt(12.5), 4.0 / std::sqrt(12.5));
  check_row(logits, 1, 0.0, -std::sqrt(2.0));
}

TEST_CASE("ReferenceModel: a layer norm takes the mean away, and has a bias") {
  ModelConfig model = tiny();
  model.rms_norm = false;
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    return weight == Weight::final_norm_bias ? 0.5 : silent(weight, layer, row, column);
  };
  check_row(prefill(model, {0}, weights), 0, -1.0 + 0.5, 1.0 + 0.5);  // 3, 4: mean 3.5, deviation 0.5
}

TEST_CASE("ReferenceModel: attention by hand, over the tokens so far") {
  // Normed tokens (r, 0) and (0, -r), r = sqrt(2); scores of the second row 0 and r^2 / sqrt(2) = sqrt(2).
  const double r = std::sqrt(2.0);
  const double second = std::exp(r) / (1.0 + std::exp(r));
  const std::vector<double> logits = prefill(tiny(), {1, 2}, attentive);
  const auto first_row = unit_rms(1.0 + r, 0.0);
  check_row(logits, 0, first_row[0], first_row[1]);
  const auto second_row = unit_rms((1.0 - second) * r, -2.0 - second * r);
  check_row(logits, 1, second_row[0], second_row[1]);
}

TEST_CASE("ReferenceModel: scores have the scale that the model says") {
  ModelConfig model = tiny();
  model.attention_scale = 0.25;
  const double r = std::sqrt(2.0);
  const double second = std::exp(0.25 * 2.0) / (1.0 + std::exp(0.25 * 2.0));
  const auto row = unit_rms((1.0 - second) * r, -2.0 - second * r);
  check_row(prefill(model, {1, 2}, attentive), 1, row[0], row[1]);
}

TEST_CASE("ReferenceModel: queries and keys turn by their positions, a radian each at the first frequency") {
  ModelConfig model = tiny();
  model.positions = Positions::rotary;
  // Token 1 twice: q and k are (r, 0); the score of neighbours is r^2 cos(1) / sqrt(2), with itself r^2 /
  // sqrt(2). Token 0 (a, b) after token 1: q turns by 1, so its score is r (a cos 1 - b sin 1) / sqrt(2).
  const double r = std::sqrt(2.0);
  const auto [a, b] = unit_rms(3.0, 4.0);
  const double to_first = std::exp(r * (a * std::cos(1.0) - b * std::sin(1.0)) / r);
  const double to_itself = std::exp((a * a + b * b) / r);
  const double share = to_first / (to_first + to_itself);
  const auto row = unit_rms(3.0 + share * r + (1.0 - share) * a, 4.0 + (1.0 - share) * b);
  check_row(prefill(model, {1, 0}, attentive), 1, row[0], row[1]);
}

TEST_CASE("ReferenceModel: queries and keys have their norm and its weights before they turn") {
  ModelConfig model = tiny();
  model.positions = Positions::rotary;
  model.qk_norm = true;
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    if (weight == Weight::q_norm) return column == 0 ? 2.0 : 1.0;
    if (weight == Weight::k_norm) return column == 0 ? 3.0 : 1.0;
    const bool grown = weight == Weight::q || weight == Weight::k;  // which the norms take away
    return attentive(weight, layer, row, column) * (grown ? 5.0 : 1.0);
  };
  // Token 1 at position 0 has the key (3 r, 0). Token 0 has the query (2 a, b) and the key (3 a, b).
  const double r = std::sqrt(2.0);
  const auto [a, b] = unit_rms(3.0, 4.0);
  const double to_first = std::exp(3.0 * r * (2.0 * a * std::cos(1.0) - b * std::sin(1.0)) / r);
  const double to_itself = std::exp((6.0 * a * a + b * b) / r);
  const double share = to_first / (to_first + to_itself);
  const auto row = unit_rms(3.0 + share * r + (1.0 - share) * a, 4.0 + (1.0 - share) * b);
  check_row(prefill(model, {1, 0}, weights), 1, row[0], row[1]);
}

TEST_CASE("ReferenceModel: biases of queries, values and attention's output") {
  ModelConfig model = tiny();
  model.attention_bias = true;
  // Queries are (0, 0.7) whatever the row is, values have (0.1, 0.2) more, and the output has (0, 5) more.
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    if (weight == Weight::q) return 0.0;
    if (weight == Weight::q_bias) return column == 1 ? 0.7 : 0.0;
    if (weight == Weight::v_bias) return column == 0 ? 0.1 : 0.2;
    if (weight == Weight::output_bias) return column == 1 ? 5.0 : 0.0;
    return attentive(weight, layer, row, column);
  };
  const double r = std::sqrt(2.0);
  const double second = std::exp(-0.7) / (1.0 + std::exp(-0.7));  // its key is (0, -r)
  const auto row = unit_rms((1.0 - second) * r + 0.1, -2.0 - second * r + 0.2 + 5.0);
  check_row(prefill(model, {1, 2}, weights), 1, row[0], row[1]);
  model.output_bias = false;
  const auto without = unit_rms((1.0 - second) * r + 0.1, -2.0 - second * r + 0.2);
  check_row(prefill(model, {1, 2}, weights), 1, without[0], without[1]);
}

TEST_CASE("ReferenceModel: a bias of keys changes what each key adds to the scores of a query") {
  ModelConfig model = tiny();
  model.attention_bias = true;
  model.positions = Positions::rotary;
  // Keys are (1, 0) at position 0 and at 1, there turned by 1; queries are (r, 0) turned by 1 at position 1.
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    if (weight == Weight::k) return 0.0;
    if (weight == Weight::k_bias) return column == 0 ? 1.0 : 0.0;
    return attentive(weight, layer, row, column);
  };
  const double r = std::sqrt(2.0);
  const double first = std::exp(r * std::cos(1.0) / r) / (std::exp(r * std::cos(1.0) / r) + std::exp(1.0));
  const auto [a, b] = unit_rms(3.0, 4.0);
  // Token 0 at position 0 and token 1 at position 1.
  const auto row = unit_rms(1.0 + first * a + (1.0 - first) * r, first * b);
  check_row(prefill(model, {0, 1}, weights), 1, row[0], row[1]);
}

TEST_CASE("ReferenceModel: halves turn together, or neighbours") {
  ModelConfig model = tiny();
  model.positions = Positions::rotary;
  model.head_dim = 4;
  model.rope.theta = 10000.0;  // frequencies 1 and 0.01
  // q and k copy x to element 0 and y to element `partner`, which turn together at frequency 1; v copies them
  // alike, and so does the output. Another pairing gives other scores.
  const auto weights = [](std::int64_t partner) {
    return [partner](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
      const std::int64_t of_y = partner;
      if (weight == Weight::q || weight == Weight::k || weight == Weight::v)
        return column == (row == 0 ? 0 : of_y) ? 1.0 : 0.0;
      if (weight == Weight::output) return row == (column == 0 ? 0 : of_y) ? 1.0 : 0.0;
      return silent(weight, layer, row, column);
    };
  };
  ModelConfig wide = tiny();
  wide.positions = Positions::rotary;
  wide.attention_scale = 0.5;
  const std::vector<double> expected = prefill(wide, {1, 0}, attentive);
  CHECK(farthest(prefill(model, {1, 0}, weights(2)), expected) < 1e-12);
  CHECK(farthest(prefill(model, {1, 0}, weights(1)), expected) > 1e-3);
  model.rope.interleaved = true;
  CHECK(farthest(prefill(model, {1, 0}, weights(1)), expected) < 1e-12);
  CHECK(farthest(prefill(model, {1, 0}, weights(2)), expected) > 1e-3);
}

TEST_CASE("ReferenceModel: an MLP by hand, gated and plain") {
  // up takes x + y of the normed row, gate takes x; down adds to x alone, 3 times.
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    if (weight == Weight::up) return 1.0;
    if (weight == Weight::gate) return row == 0 ? 1.0 : 0.0;
    if (weight == Weight::down) return column == 0 ? 3.0 : 0.0;
    if (weight == Weight::up_bias) return 0.25;
    return silent(weight, layer, row, column);
  };
  const auto [a, b] = unit_rms(3.0, 4.0);
  ModelConfig model = tiny();
  const auto gated = unit_rms(3.0 + 3.0 * a / (1.0 + std::exp(-a)) * (a + b), 4.0);
  check_row(prefill(model, {0}, weights), 0, gated[0], gated[1]);
  model.gated_mlp = false;
  model.mlp_bias = true;
  model.hidden_act = HiddenAct::gelu;
  const double in = a + b + 0.25;
  const auto plain = unit_rms(3.0 + 3.0 * in * 0.5 * (1.0 + std::erf(in / std::sqrt(2.0))), 4.0);
  check_row(prefill(model, {0}, weights), 0, plain[0], plain[1]);
  model.hidden_act = HiddenAct::relu;
  const auto relu = unit_rms(3.0 + 3.0 * in, 4.0);
  check_row(prefill(model, {0}, weights), 0, relu[0], relu[1]);
  model.hidden_act = HiddenAct::gelu_tanh;
  const double inner = std::sqrt(2.0 / 3.14159265358979323846) * (in + 0.044715 * in * in * in);
  const auto tanh = unit_rms(3.0 + 3.0 * 0.5 * in * (1.0 + std::tanh(inner)), 4.0);
  check_row(prefill(model, {0}, weights), 0, tanh[0], tanh[1]);
}

TEST_CASE("ReferenceModel: biases of gate, down and head") {
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    switch (weight) {
      case Weight::up: return row == 1 ? 1.0 : 0.0;
      case Weight::gate_bias: return 0.5;
      case Weight::down: return column == 0 ? 1.0 : 0.0;
      case Weight::down_bias: return column == 0 ? 0.0 : 2.0;
      case Weight::head_bias: return static_cast<double>(column + 1);
      default: return silent(weight, layer, row, column);
    }
  };
  ModelConfig model = tiny();
  model.mlp_bias = true;
  model.head_bias = true;
  const double b = unit_rms(3.0, 4.0)[1];
  const auto [x, y] = unit_rms(3.0 + 0.5 / (1.0 + std::exp(-0.5)) * b, 4.0 + 2.0);
  const std::vector<double> logits = prefill(model, {0}, weights);
  CHECK(logits[0] == doctest::Approx(x + 1.0));
  CHECK(logits[1] == doctest::Approx(y + 2.0));
  CHECK(logits[2] == doctest::Approx(x + y + 3.0));
}

TEST_CASE("ReferenceModel: multipliers of embedding, sums and logits") {
  ModelConfig model = tiny();
  model.final_norm = false;  // which takes the size away
  model.embedding_multiplier = 10.0;
  model.logit_multiplier = 0.5;
  check_row(prefill(model, {0}, silent), 0, 15.0, 20.0);
  model.residual_multiplier = 0.5;
  const auto [a, b] = unit_rms(3.0, 4.0);
  check_row(prefill(model, {0}, attentive), 0, 0.5 * (30.0 + 0.5 * a), 0.5 * (40.0 + 0.5 * b));
}

TEST_CASE("ReferenceModel: learned positions are added, from the family's first row on") {
  ModelConfig model = tiny();
  model.final_norm = false;
  model.positions = Positions::learned;
  model.position_rows = 4;
  model.first_position_row = 2;
  const auto weights = [](Weight weight, std::int64_t layer, std::int64_t row, std::int64_t column) {
    return weight == Weight::positions ? static_cast<double>(100 * row) : silent(weight, layer, row, column);
  };
  const std::vector<double> logits = prefill(model, {0, 1}, weights);
  check_row(logits, 0, 203.0, 204.0);
  check_row(logits, 1, 301.0, 300.0);
  CHECK_THROWS_WITH_AS(prefill(model, {0, 1, 2}, weights),
                       doctest::Contains("token 2 of a sequence has no row among 4"), UsageError);
}

TEST_CASE("ReferenceModel: a token that isn't in the vocabulary is refused") {
  CHECK_THROWS_WITH_AS(prefill(tiny(), {3}, silent), doctest::Contains("token 3 isn't one of 3"), UsageError);
  CHECK_THROWS_AS(prefill(tiny(), {-1}, silent), UsageError);
}

TEST_CASE("most_likely: the first of the largest") {
  CHECK(most_likely(std::vector<double>{-1.0, 2.0, 2.0, 0.0}) == 1);
}

TEST_CASE("rope_frequencies: theta to the power of -2i/d, and its scalings") {
  const std::vector<double> plain = rope_frequencies({.theta = 10000.0}, 4);
  REQUIRE(plain.size() == 2);
  CHECK(plain[0] == 1.0);
  CHECK(plain[1] == doctest::Approx(0.01));
  const std::vector<double> linear =
      rope_frequencies({.theta = 10000.0, .scaling = RopeScaling::linear, .factor = 4.0}, 4);
  CHECK(linear[0] == 0.25);
  CHECK(linear[1] == doctest::Approx(0.0025));
}

TEST_CASE("rope_frequencies: Llama 3.1 keeps short waves, and stretches long ones by the factor") {
  const Rope rope{.theta = 500000.0,
                  .scaling = RopeScaling::llama3,
                  .factor = 8.0,
                  .low_freq_factor = 1.0,
                  .high_freq_factor = 4.0,
                  .original_max_positions = 8192.0};
  const std::vector<double> scaled = rope_frequencies(rope, 128);
  const std::vector<double> plain = rope_frequencies({.theta = 500000.0}, 128);
  int kept = 0;
  int between = 0;
  int stretched = 0;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const double wavelength = 2.0 * 3.14159265358979323846 / plain[i];
    if (wavelength < 8192.0 / 4.0) {
      CHECK(scaled[i] == plain[i]);
      ++kept;
    } else if (wavelength > 8192.0 / 1.0) {
      CHECK(scaled[i] == plain[i] / 8.0);
      ++stretched;
    } else {
      const double smooth = (8192.0 / wavelength - 1.0) / (4.0 - 1.0);
      CHECK(scaled[i] == doctest::Approx((1.0 - smooth) * plain[i] / 8.0 + smooth * plain[i]));
      ++between;
    }
  }
  CHECK(kept == 29);
  CHECK(between == 6);
  CHECK(stretched == 29);
}

}  // namespace kbsim::models::test::model_reference_test
