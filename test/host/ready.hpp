// Arguments for the tests of calls that name the program's line.
#pragma once

#include <map>
#include <string>

#include "kbsim/host/tensor_parallel.hpp"

#include "sharded.hpp"

namespace kbsim::host::test::sharded {

// All of these are made before the memory is full.
struct Ready {
  ParallelState state;
  Tensor x;       // [4, 4] f32, as the layers' weights
  Tensor words;   // [4] i32
  DTensor whole;  // [4, 4] f32, replicated, by rows, and partial
  DTensor rows;
  DTensor sum;
  DTensor column;  // [4, 1]; rank 1 has no column
  DTensor row;     // [1, 4], likewise
  DTensor vector;  // [4]
  ColumnParallelLinear column_layer;
  RowParallelLinear row_layer;
  VocabParallelEmbedding table;
};

using Call = Task<> (*)(Ready);

inline Task<Ready> ready(Rank& rk) {
  ParallelState state{rk};
  const int ranks = rk.dist.get_world_size();
  co_await state.initialize_model_parallel(ranks);
  const DeviceMesh mesh = co_await dtensor::init_device_mesh(rk, "ahbm", {ranks});
  const Tensor x = co_await rk.torch.zeros({4, 4}, f32, {.dp = kOnOnePe, .name = "x"});
  const Tensor words = co_await rk.torch.zeros({4}, i32, {.dp = kOnOnePe, .name = "words"});
  const Tensor v = co_await rk.torch.zeros({4}, f32, {.dp = kOnOnePe, .name = "v"});
  const DTensor whole = co_await made_locally(mesh, {Replicate{}}, {4, 4}, element_of, kOnOnePe);
  const DTensor rows = co_await made_locally(mesh, {ShardOf{0}}, {4, 4}, element_of, kOnOnePe);
  const DTensor sum = co_await made_locally(mesh, {Partial{}}, {4, 4}, element_of, kOnOnePe);
  const DTensor column = co_await made_locally(mesh, {ShardOf{1}}, {4, 1}, element_of, kOnOnePe);
  const DTensor row = co_await made_locally(mesh, {ShardOf{0}}, {1, 4}, element_of, kOnOnePe);
  const ParallelLinearOptions of{.in_features = 4, .out_features = 8, .dtype = f32};
  const ColumnParallelLinear up = co_await ColumnParallelLinear::make(state, of);
  const ParallelLinearOptions back{.in_features = 8, .out_features = 4, .dtype = f32};
  const RowParallelLinear down = co_await RowParallelLinear::make(state, back);
  const VocabParallelEmbedding table =
      co_await VocabParallelEmbedding::make(state, {.num_embeddings = 8, .embedding_dim = 64});
  const DTensor vector = DTensor::from_local(mesh, {Replicate{}}, {4}, f32, v, kOnOnePe);
  co_return Ready{state, x, words, whole, rows, sum, column, row, vector, up, down, table};
}

}  // namespace kbsim::host::test::sharded
