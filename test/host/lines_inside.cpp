// Errors of calls that make tensors inside name the program's line.
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ready.hpp"

namespace kbsim::host::test::lines_inside_test {

using namespace sharded;

namespace {

// Each makes a tensor inside.
const std::map<std::string, Call> kCalls{
    {"scatter_to_tp_region", [](Ready r) -> Task<> { co_await scatter_to_tp_region(r.state, r.x); }},
    {"gather_from_tp_region", [](Ready r) -> Task<> { co_await gather_from_tp_region(r.state, r.x); }},
    {"gather_from_sequence_region",
     [](Ready r) -> Task<> { co_await gather_from_sequence_region(r.state, r.x); }},
    {"reduce_scatter_to_sequence_region",
     [](Ready r) -> Task<> { co_await reduce_scatter_to_sequence_region(r.state, r.x); }},
    {"ColumnParallelLinear::make",
     [](Ready r) -> Task<> {
       co_await ColumnParallelLinear::make(r.state, {.in_features = 64, .out_features = 64});
     }},
    {"ColumnParallelLinear::forward", [](Ready r) -> Task<> { co_await r.column_layer.forward(r.x); }},
    {"RowParallelLinear::make",
     [](Ready r) -> Task<> {
       co_await RowParallelLinear::make(r.state, {.in_features = 64, .out_features = 64});
     }},
    {"RowParallelLinear::forward", [](Ready r) -> Task<> { co_await r.row_layer.forward(r.x); }},
    {"VocabParallelEmbedding::make",
     [](Ready r) -> Task<> {
       co_await VocabParallelEmbedding::make(r.state, {.num_embeddings = 64, .embedding_dim = 64});
     }},
    {"VocabParallelEmbedding::forward", [](Ready r) -> Task<> { co_await r.table.forward(r.words); }},
    {"redistribute to R", [](Ready r) -> Task<> { co_await r.rows.redistribute({Replicate{}}); }},
    {"redistribute to S", [](Ready r) -> Task<> { co_await r.whole.redistribute({ShardOf{0}}); }},
    {"redistribute of P", [](Ready r) -> Task<> { co_await r.sum.redistribute({Replicate{}}); }},
    {"consume", [](Ready r) -> Task<> { co_await r.sum.consume({ShardOf{0}}); }},
    {"full_tensor", [](Ready r) -> Task<> { co_await r.rows.full_tensor(); }},
    {"distribute_tensor",
     [](Ready r) -> Task<> {
       co_await dtensor::distribute_tensor(r.x, r.whole.device_mesh(), {ShardOf{0}}, kOnOnePe);
     }},
    {"distribute_tensor of each rank's own",
     [](Ready r) -> Task<> {
       co_await dtensor::distribute_tensor(r.x, r.whole.device_mesh(), {ShardOf{0}}, kOnOnePe,
                                           {.from_first_rank = false});
     }},
    {"matmul", [](Ready r) -> Task<> { co_await dtensor::matmul(r.whole, r.whole); }},
    {"matmul of nothing", [](Ready r) -> Task<> { co_await dtensor::matmul(r.column, r.row); }},
    {"add", [](Ready r) -> Task<> { co_await dtensor::add(r.whole, r.whole); }},
    {"operator+", [](Ready r) -> Task<> { co_await (r.whole + r.whole); }},
    {"relu", [](Ready r) -> Task<> { co_await dtensor::relu(r.whole); }},
    {"softmax", [](Ready r) -> Task<> { co_await dtensor::softmax(r.whole); }},
    {"softmax of columns", [](Ready r) -> Task<> { co_await dtensor::softmax(r.rows); }},
    {"layer_norm", [](Ready r) -> Task<> { co_await dtensor::layer_norm(r.whole, r.vector, r.vector); }},
};

// Takes all that is left of the first PE's memory.
Task<std::vector<Tensor>> filled(Rank& rk) {
  std::vector<Tensor> all;
  for (std::int64_t bytes = std::int64_t{4} << 30; bytes > 0;) {
    try {
      const Tensor more = co_await rk.torch.empty({bytes}, u8, {.dp = kOnOnePe, .resident = true});
      all.push_back(more);
    } catch (const AllocationError&) {
      bytes /= 2;
    }
  }
  co_return all;
}

Task<> meets_full_memory(Rank& rk, std::map<std::string, std::string>* errors) {
  const Ready given = co_await ready(rk);
  const std::vector<Tensor> most = co_await filled(rk);
  for (const auto& [name, call] : kCalls) {
    try {
      co_await call(given);
    } catch (const AllocationError& error) {
      (*errors)[name] = error.what();
    }
  }
}

// The error of queues that don't fit in a memory.
Task<> installs_in_full_memory(Rank& rk, std::string* error) {
  const std::vector<Tensor> most = co_await filled(rk);
  try {
    co_await rk.dist.init_process_group({});
  } catch (const AllocationError& found) {
    *error = found.what();
  }
}

}  // namespace

TEST_CASE("No room: queues that no memory has room for name the line of init_process_group") {
  config::AlgorithmSpec queues = allreduce();
  queues.buffer_kind = config::BufferKind::hbm;
  std::string error;
  Program{machine(2, 2, 1), queues}.run(installs_in_full_memory, &error);
  CHECK_MESSAGE(error.starts_with("lines_inside.cpp:"), error);
  CHECK_MESSAGE(error.find("the rings of sip0.cube0.pe0 don't fit") != std::string::npos, error);
}

TEST_CASE("No room: what makes tensors inside names the line of the program that called it") {
  std::map<std::string, std::string> errors;
  Choosing program{machine(2, 2, 1)};
  const std::string failed = program.error(mesh_main<std::map<std::string, std::string>*>,
                                           {.worker = meets_full_memory, .args = &errors});
  CHECK(failed == "");
  for (const auto& [name, call] : kCalls) {
    CAPTURE(name);
    CAPTURE(errors[name]);
    CHECK(errors[name].starts_with("lines_inside.cpp:"));
    CHECK(errors[name].find(": no room for tensor '") != std::string::npos);
  }
}

}  // namespace kbsim::host::test::lines_inside_test
