// Attention of one row in plain f64, and where numbers lie on the PEs.
#include "llm_attention.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kbsim::test {
namespace {

constexpr double kNormEps = 1e-3;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

double angle(const LlmAttention& of, std::int64_t position, std::size_t i) {
  const double turn = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(of.rotary));
  return static_cast<double>(position) * turn;
}

double rounded(double number) { return static_cast<double>(static_cast<float>(number)); }

Numbers normed(Numbers x, const Numbers& weight) {
  double mean = 0.0;
  for (const double v : x) mean += v * v / static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= weight[i] / std::sqrt(mean + kNormEps);
  return x;
}

Array table(const LlmAttention& of, double (*function)(double)) {
  Numbers numbers;
  for (std::int64_t position = 0; position < of.capacity; ++position) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(of.rotary / 2); ++i)
      numbers.push_back(function(angle(of, position, i)));
  }
  if (numbers.empty()) numbers.push_back(0.0);
  return {numbers, f32};
}

// Calls with the place of each element of each PE's part, and its row and column.
template <class Place>
void each_element(const LlmAttention& of, const llm::Activation& x, Place place) {
  for (int cube = 0; cube < of.grid.cubes(); ++cube) {
    for (int pe = 0; pe < of.grid.pes; ++pe) {
      const llm::Part rows = x.rows_of(of.grid, pe);
      const llm::Part columns = x.columns_of(of.grid, cube);
      auto at = static_cast<std::size_t>((cube * of.grid.pes + pe) * x.stride);
      for (std::int64_t row = rows.begin; row < rows.end(); ++row) {
        for (std::int64_t column = columns.begin; column < columns.end(); ++column)
          place(at++, static_cast<std::size_t>(row * x.cols + column));
      }
    }
  }
}

}  // namespace

llm::KvCache LlmAttention::cache() const {
  return {.grid = grid,
          .keys = {.va = 0, .dtype = dtype},
          .values = {.va = 0, .dtype = dtype},
          .kv_heads = kv_heads,
          .d = d,
          .capacity = capacity,
          .sequences = sequences};
}

Numbers LlmAttention::row(std::int64_t sequence, std::int64_t position) const {
  return normal(columns(), dtype, seed + static_cast<unsigned>(sequence * 100'003 + position)).numbers;
}

Numbers LlmAttention::turned(const Numbers& row, std::int64_t position, std::int64_t head) const {
  const auto own = row.begin() + head * d;
  Numbers x{own, own + d};
  if (norms) x = normed(std::move(x), (head < heads ? q_norm() : k_norm()).numbers);
  const auto half = static_cast<std::size_t>(rotary / 2);
  for (std::size_t i = 0; i < half; ++i) {
    const double c = rounded(std::cos(angle(*this, position, i)));
    const double s = rounded(std::sin(angle(*this, position, i)));
    double& first = x[interleaved ? 2 * i : i];
    double& second = x[interleaved ? 2 * i + 1 : half + i];
    const double before = first;
    first = before * c - second * s;
    second = second * c + before * s;
  }
  return Array{x, dtype}.numbers;
}

namespace {

// A sequence's keys, turned, and values of one kv head.
struct HeadOfKeys {
  std::vector<Numbers> keys;
  std::vector<Numbers> values;
};

HeadOfKeys keys_of(const LlmAttention& of, const std::vector<Numbers>& rows, std::int64_t kv_head) {
  HeadOfKeys result;
  for (std::size_t position = 0; position < rows.size(); ++position) {
    const Numbers& row = rows[position];
    const auto at = static_cast<std::int64_t>(position);
    result.keys.push_back(of.turned(row, at, of.heads + kv_head));
    const auto first = row.begin() + (of.heads + of.kv_heads + kv_head) * of.d;
    result.values.emplace_back(first, first + of.d);
  }
  return result;
}

// softmax(q k^T * scale) v of one query over the keys of a range, appended to a result.
void attend(const LlmAttention& of, const Numbers& q, const HeadOfKeys& to, llm::Part seen, Numbers& result) {
  Numbers scores;
  for (std::int64_t key = seen.begin; key < seen.end(); ++key) {
    const Numbers& k = to.keys[static_cast<std::size_t>(key)];
    scores.push_back(std::inner_product(q.begin(), q.end(), k.begin(), 0.0) * of.scale());
  }
  const double largest = *std::ranges::max_element(scores);
  double sum = 0.0;
  Numbers out(q.size(), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = std::exp(scores[i] - largest);
    const Numbers& v = to.values[static_cast<std::size_t>(seen.begin) + i];
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += weight * v[j];
    sum += weight;
  }
  for (const double x : out) result.push_back(x / sum);
}

}  // namespace

Numbers LlmAttention::expected(std::int64_t sequence, llm::Part rows) const {
  std::vector<Numbers> all;
  for (std::int64_t position = 0; position < rows.end(); ++position) all.push_back(row(sequence, position));
  std::vector<HeadOfKeys> keys;
  for (std::int64_t head = 0; head < kv_heads; ++head) keys.push_back(keys_of(*this, all, head));
  Numbers result;
  for (std::int64_t position = rows.begin; position < rows.end(); ++position) {
    const std::int64_t end = causal ? position + 1 : rows.end();
    const std::int64_t begin = window > 0 ? std::max<std::int64_t>(0, end - window) : 0;
    for (std::int64_t head = 0; head < heads; ++head) {
      const Numbers q = turned(all[static_cast<std::size_t>(position)], position, head);
      const auto kv_head = static_cast<std::size_t>(head / (heads / kv_heads));
      attend(*this, q, keys[kv_head], {begin, end - begin}, result);
    }
  }
  return result;
}

Array LlmAttention::cos() const { return table(*this, std::cos); }
Array LlmAttention::sin() const { return table(*this, std::sin); }

namespace {

template <class Row>  // the d numbers of a sequence, head and position
Numbers cached(const LlmAttention& of, const std::vector<std::int64_t>& contexts, Row row) {
  const llm::KvCache cache = of.cache();
  const Ptr base{.va = 0, .dtype = DType::i8};  // so that addresses are numbers of elements
  Numbers numbers(static_cast<std::size_t>(of.grid.all() * cache.stride()), kNoNumber);
  for (std::int64_t sequence = 0; sequence < of.sequences; ++sequence) {
    for (std::int64_t head = 0; head < of.kv_heads; ++head) {
      for (std::int64_t position = 0; position < contexts[static_cast<std::size_t>(sequence)]; ++position) {
        const std::int64_t pe = cache.pe_of(head, cache.split_at(position));
        const std::uint64_t at = cache.at(base, pe, sequence, head, cache.slot_at(position)).va;
        const Numbers one = row(sequence, head, position);
        std::ranges::copy(one, numbers.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  return numbers;
}

}  // namespace

Numbers LlmAttention::keys(const std::vector<std::int64_t>& contexts) const {
  return cached(*this, contexts, [this](std::int64_t sequence, std::int64_t head, std::int64_t position) {
    return turned(row(sequence, position), position, heads + head);
  });
}

Numbers LlmAttention::values(const std::vector<std::int64_t>& contexts) const {
  return cached(*this, contexts, [this](std::int64_t sequence, std::int64_t head, std::int64_t position) {
    const Numbers all = row(sequence, position);
    const auto first = all.begin() + (heads + kv_heads + head) * d;
    return Numbers{first, first + d};
  });
}

llm::Activation LlmAttention::activation(std::int64_t rows, std::int64_t columns) const {
  return {.base = {.va = 0, .dtype = dtype},
          .stride = llm::stride_for(grid, rows, columns),
          .rows = rows,
          .cols = columns};
}

Numbers LlmAttention::divided(const llm::Activation& x, const Numbers& matrix) const {
  Numbers parts(static_cast<std::size_t>(grid.all() * x.stride), kNoNumber);
  each_element(*this, x, [&](std::size_t part, std::size_t element) { parts[part] = matrix[element]; });
  return parts;
}

Numbers LlmAttention::joined(const llm::Activation& x, const Numbers& parts) const {
  Numbers matrix(static_cast<std::size_t>(x.rows * x.cols), kNoNumber);
  each_element(*this, x, [&](std::size_t part, std::size_t element) { matrix[element] = parts[part]; });
  return matrix;
}

config::MachineSpec LlmAttention::machine() const {
  config::MachineSpec spec;
  spec.system.sips.count = 1;
  spec.sip.cube_mesh = {.w = grid.w, .h = grid.h};
  if (grid.pes != spec.pes_per_cube())
    spec.cube.pe_layout = {.corners = {config::Corner::NW}, .pe_per_corner = grid.pes};
  return spec;
}

config::AlgorithmSpec LlmAttention::queues() const {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = "decode_attention";
  spec.topology = "package_splits";
  spec.mapper = "all_pes";
  spec.n_slots = slots;
  spec.slot_size = Bytes{grid.slot_bytes};
  return spec;
}

llm::DecodeAttentionArgs LlmAttention::decode_args() const {
  return {.qkv = activation(sequences, columns()),
          .out = activation(sequences, heads * d),
          .cache = cache(),
          .heads = heads,
          .norms = {.eps = kNormEps, .given = norms},
          .rotary = {.cos = {.va = 0, .dtype = f32},
                     .sin = {.va = 0, .dtype = f32},
                     .dims = rotary,
                     .interleaved = interleaved},
          .scale = scale(),
          .window = window,
          .block_keys = block_keys};
}

llm::PrefillAttentionArgs LlmAttention::prefill_args(std::int64_t sequence, std::int64_t context,
                                                     std::int64_t rows, std::int64_t count) const {
  llm::PrefillAttentionArgs args{.qkv = activation(count * rows, columns()),
                                 .out = activation(count * rows, heads * d),
                                 .cache = cache(),
                                 .heads = heads,
                                 .norms = {.eps = kNormEps, .given = norms},
                                 .rotary = {.cos = {.va = 0, .dtype = f32},
                                            .sin = {.va = 0, .dtype = f32},
                                            .dims = rotary,
                                            .interleaved = interleaved},
                                 .scale = scale(),
                                 .window = window,
                                 .causal = causal,
                                 .context = context,
                                 .sequence = sequence,
                                 .sequences = count,
                                 .stage = {},
                                 .stage_slots = stage_slots,
                                 .block_rows = block_rows,
                                 .block_keys = block_keys};
  args.stage = {.base = {.va = 0, .dtype = dtype}, .stride = args.stage_size()};
  return args;
}

}  // namespace kbsim::test
