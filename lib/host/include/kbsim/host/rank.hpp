#pragma once

#include <any>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/host/world.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::host {

class Rank;

/// The device of a rank: the package that its tensors are made on.
class Accelerator {
 public:
  explicit Accelerator(const Session& session, int device) : session_{session}, device_{device} {}
  /// UsageError from device_count() on; no change for a negative index, as in PyTorch.
  void set_device(int index);
  [[nodiscard]] int current_device() const { return device_; }
  [[nodiscard]] int device_count() const;
  [[nodiscard]] const int& device() const { return device_; }

 private:
  const Session& session_;
  int device_;
};

struct ProcessGroupOptions {
  std::string_view backend = "ahbm";
  std::vector<std::string> algorithms = {};  // none: the session's own
};

using ReduceOp = Reduction;

/// `algorithm`: one of the process group's; "": its first one for the collective.
struct CollectiveOptions {
  std::string algorithm = {};
};

struct AllReduceOptions {
  ReduceOp op = ReduceOp::sum;
  std::string algorithm = {};
};

/// What any collective can be called with: `output` unless it works in place, `op` if it combines, `root` if
/// it has one.
struct CollectiveCall {
  Tensor input;
  std::optional<Tensor> output = {};
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  std::string algorithm = {};
};

struct BroadcastOptions {
  int src = 0;
  std::string algorithm = {};
};

struct ReduceOptions {
  int dst = 0;
  ReduceOp op = ReduceOp::sum;
  std::string algorithm = {};
};

/// What a rank calls `dist`: collectives over all ranks, by the algorithms of the process group. Awaiting one
/// means that it is complete on this rank. They run in the order of their calls, awaited or not.
///
/// Tensors are on the rank's own SIP, a shard on each PE that takes part, all of one size; a collective
/// works shard by shard. Every rank's call must match the others': checked at once, at no simulated cost.
/// What can't be is a UsageError of the call itself.
class Distributed {
 public:
  using Here = std::source_location;
  using Done = Work<std::monostate>;

  Distributed(Session& session, World& world, Works& works, int rank)
      : session_{session}, world_{world}, works_{works}, rank_{rank} {}

  /// Sets up the queues of the algorithms on every package, by messages.
  [[nodiscard]] Task<> init_process_group(ProcessGroupOptions options);
  [[nodiscard]] bool is_initialized() const { return world_.initialized(); }
  [[nodiscard]] std::string get_backend() const;
  [[nodiscard]] int get_rank() const { return rank_; }
  [[nodiscard]] int get_world_size() const;

  /// In place: what all ranks' tensors combine to, on every rank, on `dst` only, or `src`'s tensor.
  [[nodiscard]] Done all_reduce(Tensor tensor, AllReduceOptions options = {}, Here at = Here::current());
  [[nodiscard]] Done reduce(Tensor tensor, ReduceOptions options = {}, Here at = Here::current());
  [[nodiscard]] Done broadcast(Tensor tensor, BroadcastOptions options = {}, Here at = Here::current());
  /// In place: the tensor of the rank before this one.
  [[nodiscard]] Done sendrecv(Tensor tensor, CollectiveOptions options = {}, Here at = Here::current());

  /// `output` is all ranks' inputs, one after the other.
  [[nodiscard]] Done all_gather_into_tensor(Tensor output, Tensor input, CollectiveOptions options = {},
                                            Here at = Here::current());
  /// `output` is this rank's part of what all inputs combine to.
  [[nodiscard]] Done reduce_scatter_tensor(Tensor output, Tensor input, AllReduceOptions options = {},
                                           Here at = Here::current());
  /// Part i of `output` is this rank's part of rank i's input.
  [[nodiscard]] Done all_to_all_single(Tensor output, Tensor input, CollectiveOptions options = {},
                                       Here at = Here::current());

  /// Any of these, and any other that there is.
  [[nodiscard]] Done collective(config::Collective which, CollectiveCall call, Here at = Here::current());

 private:
  struct Call;
  Done begin(Call call);
  void require_runnable(const Call& call) const;
  [[nodiscard]] CollectiveArgs args_of(const Call& call) const;
  [[nodiscard]] const InstalledAlgorithm& algorithm_for(const Call& call) const;
  Task<std::monostate> run(Call call, Tensor::Update update, Task<hw::Activity> launch,
                           CollectiveTiming timing);

  Session& session_;
  World& world_;
  Works& works_;
  int rank_;
};

struct SpawnOptions {
  int nprocs = 1;
};

/// What a rank calls `mp`.
class Multiprocessing {
 public:
  Multiprocessing(Session& session, World& world) : session_{session}, world_{world} {}

  /// Runs fn(rank, args) for ranks 0 to nprocs - 1, args copied for each, until all have returned. If any
  /// fails, the one of the smallest (time, rank) is reported and the others are cancelled.
  template <class Args>
  [[nodiscard]] Task<> spawn(Task<> (*fn)(Rank&, Args), std::type_identity_t<Args> args,
                             SpawnOptions options);

 private:
  Session& session_;
  World& world_;
};

/// One host program's view of the machine: nothing of it is global.
class Rank {
  Session& session_;
  World& world_;
  std::shared_ptr<Works> works_;  // what all below start

 public:
  using Here = std::source_location;

  Rank(Session& session, World& world, int rank_index);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  const int index;
  Accelerator ahbm;
  Accelerator& accelerator;
  Torch torch;
  Distributed dist;
  Multiprocessing mp;

  [[nodiscard]] Session& session() const { return session_; }
  [[nodiscard]] const World& world() const { return world_; }

  /// Runs a kernel on the PEs that own shards of the first of `tensors`, which are on one package; done when
  /// the last has ended, and gives when they ran. It may write any of them: a read of one waits for it. It
  /// has the queues of the process group's first algorithm. UsageError for an unknown kernel, or arguments
  /// that aren't of its own type.
  [[nodiscard]] Work<hw::Activity> launch(std::string kernel, std::vector<Tensor> tensors, std::any args,
                                          Here at = Here::current());
  [[nodiscard]] Work<hw::Activity> launch(std::string kernel, Tensor on, std::any args,
                                          Here at = Here::current()) {
    return launch(std::move(kernel), std::vector{std::move(on)}, std::move(args), at);
  }

  /// The program of this rank. KernelFault if it ends without having awaited all that it started.
  [[nodiscard]] Task<> run(Task<> program);
};

template <class Args>
Task<> Multiprocessing::spawn(Task<> (*fn)(Rank&, Args), std::type_identity_t<Args> args,
                              SpawnOptions options) {
  Ranks ranks{session_, world_, options.nprocs};
  for (int i = 0; i < ranks.count(); ++i) ranks.start(i, fn(ranks.rank(i), args));
  co_await ranks.join();
}

}  // namespace kbsim::host
