// Keys of rotary positions.
#include "model_rope.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/say.hpp"

namespace kbsim::models {
namespace {

constexpr auto kKinds =
    std::to_array<std::pair<std::string_view, RopeScaling>>({{"", RopeScaling::none},
                                                             {"default", RopeScaling::none},
                                                             {"linear", RopeScaling::linear},
                                                             {"llama3", RopeScaling::llama3}});
constexpr auto kInner = std::to_array<std::string_view>(
    {"rope_type", "type", "rope_theta", "partial_rotary_factor", "factor", "low_freq_factor",
     "high_freq_factor", "original_max_position_embeddings"});

const KeyNames kTheta{"rope_theta", "rotary_emb_base"};
const KeyNames kRotaryPart{"partial_rotary_factor", "rotary_pct", "rope_pct"};

// Both names have the keys of a scaling; files of newer versions have all keys of positions there.
std::string_view object_of(const ModelKeys& keys) { return keys.called({"rope_parameters", "rope_scaling"}); }

void require_known_in_rope(const ModelKeys& keys, std::string_view object) {
  for (const std::string_view inner : keys.inner_keys(object)) {
    if (std::ranges::find(kInner, inner) == kInner.end())
      throw Unsupported{
          fmt::format("{}: key '{}.{}' isn't known, and may change positions: take it out if "
                      "it doesn't",
                      keys.place(object, inner), object, harmless(std::string{inner}))};
  }
}

RopeScaling kind_in(const ModelKeys& keys, std::string_view object) {
  const std::string_view key = keys.has_inner(object, "rope_type") ? "rope_type" : "type";
  const std::string name = keys.text(object, key);
  if (keys.has_inner(object, "type") && keys.text(object, "type") != name)
    throw UsageError{fmt::format("{0}: {1}.type is '{2}', but {1}.rope_type is '{3}'",
                                 keys.place(object, "type"), object, harmless(keys.text(object, "type")),
                                 harmless(name))};
  const auto found = std::ranges::find(kKinds, name, &decltype(kKinds)::value_type::first);
  if (found == kKinds.end())
    throw Unsupported{fmt::format("{}: {}.{} {} isn't simulated; those that are: default, linear, llama3",
                                  keys.place(object, key), object, key, harmless(name))};
  return found->second;
}

double inner_above_zero(const ModelKeys& keys, std::string_view object, std::string_view inner) {
  if (!keys.has_inner(object, inner))
    throw UsageError{fmt::format("{}: {}.{} is missing: add it", keys.place(object), object, inner)};
  const double value = keys.positive(object, inner);
  if (value == 0.0)
    throw UsageError{fmt::format("{}: {}.{} is 0, expected more", keys.place(object, inner), object, inner)};
  return value;
}

void read_scaling(const ModelKeys& keys, std::string_view object, Rope& rope) {
  require_known_in_rope(keys, object);
  rope.scaling = kind_in(keys, object);
  if (rope.scaling == RopeScaling::none) return;
  rope.factor = inner_above_zero(keys, object, "factor");
  if (rope.scaling == RopeScaling::linear) return;
  rope.low_freq_factor = inner_above_zero(keys, object, "low_freq_factor");
  rope.high_freq_factor = inner_above_zero(keys, object, "high_freq_factor");
  rope.original_max_positions = inner_above_zero(keys, object, "original_max_position_embeddings");
  if (rope.low_freq_factor >= rope.high_freq_factor)
    throw UsageError{fmt::format("{}: {}.low_freq_factor ({}) must be less than high_freq_factor ({})",
                                 keys.place(object, "low_freq_factor"), object, rope.low_freq_factor,
                                 rope.high_freq_factor)};
}

// A number under one of its names, within the object or beside it.
double number_in(const ModelKeys& keys, const KeyNames& names, double standard) {
  keys.require_one_value(names);
  const std::string_view object = object_of(keys);
  const std::string_view key = keys.called(names);
  if (!keys.has_inner(object, names.front())) return keys.has(key) ? keys.positive(key) : standard;
  const double inner = keys.positive(object, names.front());
  if (keys.has(key) && keys.positive(key) != inner)
    throw UsageError{fmt::format("{}: {}.{} is {}, but {} is {}", keys.place(object, names.front()), object,
                                 names.front(), inner, key, keys.positive(key))};
  return inner;
}

std::string place_of(const ModelKeys& keys, const KeyNames& names) {
  const std::string_view object = object_of(keys);
  return keys.has_inner(object, names.front()) ? keys.place(object, names.front())
                                               : keys.place(keys.called(names));
}

bool has_one(const ModelKeys& keys, const KeyNames& names) {
  return keys.has_inner(object_of(keys), names.front()) || keys.has(keys.called(names));
}

// The key that says how many elements turn; without one, that of the head's size.
std::string place_of_dims(const ModelKeys& keys) {
  if (keys.has("rotary_dim")) return keys.place("rotary_dim");
  if (has_one(keys, kRotaryPart)) return place_of(keys, kRotaryPart);
  return keys.place(keys.called({"head_dim", "kv_channels", "hidden_size", "n_embd", "n_embed", "d_model"}));
}

std::int64_t dims_of(const ModelKeys& keys, const ModelDetails& details, std::int64_t head_dim) {
  if (details.rotary_dims > 0 || keys.has("rotary_dim"))
    return keys.size("rotary_dim", std::min(details.rotary_dims, head_dim));
  const double part = number_in(keys, kRotaryPart, details.rotary_part);
  return static_cast<std::int64_t>(std::min(part, 2.0) * static_cast<double>(head_dim));
}

}  // namespace

Rope read_rope(const ModelKeys& keys, const ModelDetails& details, std::int64_t head_dim) {
  keys.require_one_value({"rope_parameters", "rope_scaling"});
  Rope rope{.interleaved = details.interleaved};
  rope.theta = number_in(keys, kTheta, rope.theta);
  if (rope.theta == 0.0)
    throw UsageError{fmt::format("{}: rope_theta is 0, expected more", place_of(keys, kTheta))};
  rope.dims = dims_of(keys, details, head_dim);
  if (*rope.dims % 2 != 0 || *rope.dims < 2 || *rope.dims > head_dim)
    throw UsageError{
        fmt::format("{}: {} elements of a head of {} turn by its position: expected an even number up to "
                    "that",
                    place_of_dims(keys), *rope.dims, head_dim)};
  if (keys.has(object_of(keys))) read_scaling(keys, object_of(keys), rope);
  return rope;
}

}  // namespace kbsim::models
