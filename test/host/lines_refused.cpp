// Errors of refused calls name the program's line.
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/host/host_program.hpp"
#include "kbsim/tl/operator_args.hpp"

#include "ready.hpp"

namespace kbsim::host::test::lines_refused_test {

using namespace sharded;

namespace {

// Each is refused.
const std::map<std::string, Call> kRefused{
    {"slice",
     [](Ready r) -> Task<> {
       (void)r.x.slice(1, {3, 9});
       co_return;
     }},
    {"slice of an axis",
     [](Ready r) -> Task<> {
       (void)r.x.slice(2, {0, 1});
       co_return;
     }},
    {"index",
     [](Ready r) -> Task<> {
       (void)r.x[4];
       co_return;
     }},
    {"index of a range",
     [](Ready r) -> Task<> {
       (void)r.x[{2, 5}];
       co_return;
     }},
    {"index of a range by name",
     [](Ready r) -> Task<> {
       (void)r.x[IndexRange{2, 2}];
       co_return;
     }},
    {"view",
     [](Ready r) -> Task<> {
       (void)r.x.view({3, 5});
       co_return;
     }},
    {"view of negative extents",
     [](Ready r) -> Task<> {
       (void)r.x.view({-4, -4});
       co_return;
     }},
    {"reshape of what isn't contiguous",
     [](Ready r) -> Task<> {
       (void)r.x.slice(1, {0, 2}).reshape({8});
       co_return;
     }},
    {"ptr",
     [](Ready r) -> Task<> {
       (void)r.x.slice(1, {0, 2}).ptr();
       co_return;
     }},
    {"shards",
     [](Ready r) -> Task<> {
       (void)r.x.slice(1, {0, 2}).shards();
       co_return;
     }},
    {"all_reduce of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       co_await r.state.rank().dist.all_reduce(r.x);
     }},
    {"isend of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       co_await r.state.rank().dist.isend(r.x, 1);
     }},
    {"launch of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       co_await r.state.rank().launch("softmax", r.x, SoftmaxArgs{});
     }},
    {"operator of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       [[maybe_unused]] const Tensor sum = co_await (r.x + 1.0);
     }},
    {"layer of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       [[maybe_unused]] const Tensor up = co_await r.column_layer.forward(r.x);
     }},
    {"to_host of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       [[maybe_unused]] const HostArray read = co_await r.x.to_host();
     }},
    {"copy_ of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       co_await r.words.copy_(r.x);
     }},
    {"shape of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       (void)r.x.shape();
       co_return;
     }},
    {"slice of what was moved from",
     [](Ready r) -> Task<> {
       [[maybe_unused]] const Tensor y = std::move(r.x);
       (void)r.x[0];
       co_return;
     }},
    {"all_reduce of columns",
     [](Ready r) -> Task<> { co_await r.state.rank().dist.all_reduce(r.x.slice(1, {0, 2})); }},
    {"broadcast of columns",
     [](Ready r) -> Task<> { co_await r.state.rank().dist.broadcast(r.x.slice(1, {0, 2}), {.src = 0}); }},
    {"send of columns",
     [](Ready r) -> Task<> {
       Rank& rk = r.state.rank();
       co_await rk.dist.send(r.x.slice(1, {0, 2}), 1 - rk.index);
     }},
    {"launch on columns",
     [](Ready r) -> Task<> {
       const std::vector<Tensor> on{r.x.slice(1, {0, 2})};
       co_await r.state.rank().launch("layer_norm", on, LayerNormArgs{});
     }},
    {"launch on columns of a PE",
     [](Ready r) -> Task<> {
       const std::vector<Tensor> on{r.x.slice(1, {0, 2})};
       co_await r.state.rank().launch("layer_norm", on, LayerNormArgs{}, LaunchOptions{.target_pe = 0});
     }},
    {"pe_dma of columns",
     [](Ready r) -> Task<> {
       const Tensor columns = r.x.slice(1, {0, 2});
       co_await r.state.rank().pe_dma({.from = columns, .to = columns});
     }},
    {"redistribute of columns",
     [](Ready r) -> Task<> {
       const DeviceMesh mesh = r.whole.device_mesh();
       const DTensor columns =
           DTensor::from_local(mesh, {ShardOf{1}}, {4, 4}, f32, r.x.slice(1, {0, 2}), kOnOnePe);
       co_await columns.redistribute({Replicate{}});
     }},
    {"HostArray of other bytes",
     [](Ready) -> Task<> {
       (void)HostArray({4}, f32, std::vector<std::byte>(4));
       co_return;
     }},
    {"HostArray of a negative extent",
     [](Ready) -> Task<> {
       (void)HostArray({-2, -2}, f16, std::vector<std::byte>(8));
       co_return;
     }},
    {"repeated block of nothing",
     [](Ready) -> Task<> {
       (void)HostArray::repeated({4}, f32, {});
       co_return;
     }},
    {"generate of a negative extent",
     [](Ready) -> Task<> {
       (void)generate({-4}, f32, element_of);
       co_return;
     }},
    {"full of more than there can be",
     [](Ready) -> Task<> {
       (void)full({std::int64_t{1} << 40, std::int64_t{1} << 40}, 1.0, f32);
       co_return;
     }},
    {"generate without a function",
     [](Ready) -> Task<> {
       (void)generate({4}, f32, nullptr);
       co_return;
     }},
    {"numbers that aren't there",
     [](Ready) -> Task<> {
       (void)HostArray::without_numbers({4}, f32).to_doubles();
       co_return;
     }},
    {"from_host of no numbers",
     [](Ready r) -> Task<> {
       co_await r.state.rank().torch.from_host(HostArray::without_numbers({4}, f32), {});
     }},
    {"gather of columns",
     [](Ready r) -> Task<> {
       Rank& rk = r.state.rank();
       const std::vector<Tensor> all(rk.index == 0 ? 2 : 0, r.x);
       co_await rk.dist.gather(r.x.slice(1, {0, 2}), all, 0);
     }},
    {"reduce_scatter into columns",
     [](Ready r) -> Task<> {
       const std::vector<Tensor> parts(2, r.x.slice(1, {0, 2}));
       co_await r.state.rank().dist.reduce_scatter(r.x.slice(1, {2, 4}), parts);
     }},
    {"init_device_mesh",
     [](Ready r) -> Task<> { (void)co_await dtensor::init_device_mesh(r.state.rank(), "ahbm", {3}); }},
    {"init_device_mesh of more ranks than can be counted",
     [](Ready r) -> Task<> {
       (void)co_await dtensor::init_device_mesh(r.state.rank(), "ahbm", {65536, 65537});
     }},
    {"init_device_mesh of two axes of a name",
     [](Ready r) -> Task<> {
       const std::vector<std::string> names{"tp", "tp"};
       const std::vector<int> shape{1, r.state.rank().dist.get_world_size()};
       (void)co_await dtensor::init_device_mesh(r.state.rank(), "ahbm", shape, names);
     }},
    {"size of an axis",
     [](Ready r) -> Task<> {
       (void)r.whole.device_mesh().size(1);
       co_return;
     }},
    {"get_local_rank of an axis",
     [](Ready r) -> Task<> {
       (void)r.whole.device_mesh().get_local_rank(-1);
       co_return;
     }},
    {"get_group of an axis",
     [](Ready r) -> Task<> {
       (void)r.whole.device_mesh().get_group(1);
       co_return;
     }},
    {"axis",
     [](Ready r) -> Task<> {
       (void)r.whole.device_mesh().axis("rows");
       co_return;
     }},
    {"spawn of none",
     [](Ready r) -> Task<> {
       co_await r.state.rank().mp.spawn([](Rank&) -> Task<> { co_return; }, {.nprocs = 0});
     }},
    {"spawn in a rank",
     [](Ready r) -> Task<> {
       co_await r.state.rank().mp.spawn([](Rank&) -> Task<> { co_return; }, {.nprocs = 1});
     }},
    {"from_local of another dtype",
     [](Ready r) -> Task<> {
       (void)DTensor::from_local(r.whole.device_mesh(), {Replicate{}}, {4, 4}, f16, r.x, kOnOnePe);
       co_return;
     }},
    {"RowParallelLinear::make of nothing",
     [](Ready r) -> Task<> { co_await RowParallelLinear::make(r.state, {}); }},
    {"spawn of more than there are",
     [](Ready r) -> Task<> {
       co_await r.state.rank().mp.spawn<int>([](Rank&, int) -> Task<> { co_return; }, 1, {.nprocs = 9});
     }},
    {"zeros in queues",
     [](Ready r) -> Task<> {
       co_await r.state.rank().torch.zeros({4}, f16, {.mem_kind = topology::Region::ipcq});
     }},
    {"empty, shared and replicated",
     [](Ready r) -> Task<> { co_await r.state.rank().torch.empty({4}, f16, {.shared = true}); }},
    {"full on a PE that isn't there",
     [](Ready r) -> Task<> { co_await r.state.rank().torch.full({4}, 1, f16, {.dp = {.num_pes = 99}}); }},
    {"to a device that isn't there", [](Ready r) -> Task<> { co_await r.x.to(9); }},
    {"to a PE that isn't there", [](Ready r) -> Task<> { co_await r.x.to(ToOptions{.target_pe = 9}); }},
    {"copy_ of an array", [](Ready r) -> Task<> { co_await r.x.copy_(generate({2}, f32, element_of)); }},
    {"copy_ of a tensor", [](Ready r) -> Task<> { co_await r.x.copy_(r.words); }},
    {"launch without a tensor",
     [](Ready r) -> Task<> { co_await r.state.rank().launch("pointwise", std::vector<Tensor>{}, 1); }},
    {"launch on a PE without a shard",
     [](Ready r) -> Task<> {
       const std::vector<Tensor> on{r.x};
       co_await r.state.rank().launch("layer_norm", on, LayerNormArgs{}, LaunchOptions{.target_pe = 1});
     }},
    {"pe_dma", [](Ready r) -> Task<> { co_await r.state.rank().pe_dma({.from = r.x, .to = r.words}); }},
    {"an operator on rows of several PEs",
     [](Ready r) -> Task<> {
       const Tensor parts = co_await r.state.rank().torch.zeros(
           {4, 4}, f32, {.dp = {.pe = topology::Split::row_wise, .num_cubes = 1}});
       co_await host::relu(parts.slice(1, {0, 2}));
     }},
    {"scatter_to_tp_region",
     [](Ready r) -> Task<> { co_await scatter_to_tp_region(r.state, r.x.slice(1, {0, 3})); }},
    {"reduce_scatter_to_sequence_region",
     [](Ready r) -> Task<> { co_await reduce_scatter_to_sequence_region(r.state, r.x[{0, 3}]); }},
    {"ColumnParallelLinear::make",
     [](Ready r) -> Task<> {
       co_await ColumnParallelLinear::make(r.state, {.in_features = 4, .out_features = 3});
     }},
    {"RowParallelLinear::make of other contents",
     [](Ready r) -> Task<> {
       const HostArray small = generate({2, 2}, f16, element_of);
       co_await RowParallelLinear::make(r.state,
                                        {.in_features = 4, .out_features = 4, .contents = {.weight = small}});
     }},
    {"VocabParallelEmbedding::make",
     [](Ready r) -> Task<> {
       co_await VocabParallelEmbedding::make(r.state, {.num_embeddings = 3, .embedding_dim = 4});
     }},
    {"matmul", [](Ready r) -> Task<> { co_await dtensor::matmul(r.whole, r.row); }},
    {"redistribute to P", [](Ready r) -> Task<> { co_await r.whole.redistribute({Partial{}}); }},
    {"redistribute of a dimension", [](Ready r) -> Task<> { co_await r.whole.redistribute({ShardOf{2}}); }},
    {"distribute_tensor to P",
     [](Ready r) -> Task<> {
       co_await dtensor::distribute_tensor(r.x, r.whole.device_mesh(), {Partial{}}, kOnOnePe);
     }},
    {"from_local",
     [](Ready r) -> Task<> {
       (void)DTensor::from_local(r.whole.device_mesh(), {ShardOf{0}}, {4, 4}, f32, r.x, kOnOnePe);
       co_return;
     }},
};

Task<> is_refused(Rank& rk, std::map<std::string, std::string>* errors) {
  const Ready given = co_await ready(rk);
  for (const auto& [name, call] : kRefused) {
    try {
      co_await call(given);
    } catch (const UsageError& error) {
      (*errors)[name] = error.what();
    }
  }
}

// Each is refused before there is a process group.
using Early = Task<> (*)(Rank&);
const std::map<std::string, Early> kTooEarly{
    {"unknown backend", [](Rank& rk) -> Task<> { co_await rk.dist.init_process_group({.backend = "nccl"}); }},
    {"unknown algorithm",
     [](Rank& rk) -> Task<> { co_await rk.dist.init_process_group({.algorithms = {"nothing"}}); }},
    {"algorithm named twice",
     [](Rank& rk) -> Task<> {
       const std::string name = rk.session().algorithm().name;
       co_await rk.dist.init_process_group({.algorithms = {name, name}});
     }},
    {"spawn of a null pointer", [](Rank& rk) -> Task<> { co_await rk.mp.spawn(nullptr, {.nprocs = 2}); }},
    {"spawn of a null pointer with arguments",
     [](Rank& rk) -> Task<> { co_await rk.mp.spawn<int>(nullptr, 1, {.nprocs = 2}); }},
    {"install_ipcq", [](Rank& rk) -> Task<> { co_await rk.install_ipcq("nothing"); }},
    {"set_device",
     [](Rank& rk) -> Task<> {
       rk.accelerator.set_device(9);
       co_return;
     }},
    {"get_rank",
     [](Rank& rk) -> Task<> {
       (void)rk.dist.get_rank();
       co_return;
     }},
    {"get_world_size",
     [](Rank& rk) -> Task<> {
       (void)rk.dist.get_world_size();
       co_return;
     }},
    {"get_process_group_ranks",
     [](Rank& rk) -> Task<> {
       (void)rk.dist.get_process_group_ranks();
       co_return;
     }},
    {"get_backend",
     [](Rank& rk) -> Task<> {
       (void)rk.dist.get_backend();
       co_return;
     }},
    {"new_group", [](Rank& rk) -> Task<> { co_await rk.dist.new_group({0}); }},
    {"barrier", [](Rank& rk) -> Task<> { co_await rk.dist.barrier(); }},
    {"destroy_process_group", [](Rank& rk) -> Task<> { co_await rk.dist.destroy_process_group(); }},
    {"initialize_model_parallel",
     [](Rank& rk) -> Task<> {
       ParallelState state{rk};
       co_await state.initialize_model_parallel(2);
     }},
    {"copy_to_tp_region",
     [](Rank& rk) -> Task<> {
       const Tensor x = co_await rk.torch.zeros({4, 4}, f32, {.dp = kOnOnePe});
       (void)copy_to_tp_region(ParallelState{rk}, x);
     }},
    {"gather_from_tp_region",
     [](Rank& rk) -> Task<> {
       const Tensor x = co_await rk.torch.zeros({4, 4}, f32, {.dp = kOnOnePe});
       co_await gather_from_tp_region(ParallelState{rk}, x);
     }},
    {"ColumnParallelLinear::make", [](Rank& rk) -> Task<> {
       co_await ColumnParallelLinear::make(ParallelState{rk}, {.in_features = 4, .out_features = 4});
     }}};

Task<> is_too_early(Rank& rk, std::map<std::string, std::string>* errors) {
  for (const auto& [name, call] : kTooEarly) {
    try {
      co_await call(rk);
    } catch (const UsageError& error) {
      (*errors)[name] = error.what();
    }
  }
}

}  // namespace

TEST_CASE("Refusals: what makes tensors, or works on them, names the line of the program that called it") {
  std::map<std::string, std::string> errors;
  Choosing program{machine(2, 2, 1)};
  const std::string failed =
      program.error(mesh_main<std::map<std::string, std::string>*>, {.worker = is_refused, .args = &errors});
  CHECK(failed == "");
  for (const auto& [name, call] : kRefused) {
    CAPTURE(name);
    CAPTURE(errors[name]);
    CHECK(errors[name].starts_with("lines_refused.cpp:"));
    CHECK(errors[name].find(".cpp:", 18) == std::string::npos);
  }
}

TEST_CASE("Refusals: what is called before there is a process group names the line of the program") {
  std::map<std::string, std::string> errors;
  Program{machine(2, 2, 1)}.run(is_too_early, &errors);
  for (const auto& [name, call] : kTooEarly) {
    CAPTURE(name);
    CAPTURE(errors[name]);
    CHECK(errors[name].starts_with("lines_refused.cpp:"));
    CHECK(errors[name].find(".cpp:", 18) == std::string::npos);
  }
}

Task<> await_moved(Rank& main, std::string* why) {
  const Tensor x = co_await main.torch.zeros({4}, f32, {.dp = kOnOnePe});
  auto read = x.to_host();
  const auto kept = std::move(read);
  try {
    [[maybe_unused]] const HostArray numbers = co_await read;
  } catch (const UsageError& error) {
    *why = error.what();
  }
  [[maybe_unused]] const HostArray numbers = co_await kept;
}

TEST_CASE("Refusals: a Work that was moved from can't be awaited") {
  std::string why;
  Program{}.run(await_moved, &why);
  CHECK(why ==
        "a Work that was moved from is awaited, or asked whether it is done; use what it was moved to");
}

TEST_CASE("Refusals: a host program that is a null pointer names the line that runs it") {
  HostProgram program{machine(2, 2, 1)};
  const std::string why = ": HostProgram::run: the function is a null pointer, expected one to run";
  CHECK_THROWS_WITH_AS(program.run(nullptr), doctest::Contains(why.c_str()), UsageError);
  CHECK_THROWS_WITH_AS(program.run<int>(nullptr, 1), doctest::Contains("lines_refused.cpp:"), UsageError);
}

}  // namespace kbsim::host::test::lines_refused_test
