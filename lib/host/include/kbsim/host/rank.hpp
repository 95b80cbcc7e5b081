#pragma once

#include <any>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/host/world.hpp"
#include "kbsim/sim/task.hpp"

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
};

enum class ReduceOp { sum };

struct AllReduceOptions {
  ReduceOp op = ReduceOp::sum;
};

/// What a rank calls `dist`: collectives over all ranks. Awaiting one means that it is complete.
class Distributed {
 public:
  Distributed(Session& session, World& world, Works& works, int rank)
      : session_{session}, world_{world}, works_{works}, rank_{rank} {}

  /// Sets up the queues of the configured algorithm on every package, by messages.
  [[nodiscard]] Task<> init_process_group(ProcessGroupOptions options);
  [[nodiscard]] bool is_initialized() const { return world_.initialized(); }
  [[nodiscard]] std::string get_backend() const;
  [[nodiscard]] int get_rank() const { return rank_; }
  [[nodiscard]] int get_world_size() const;

  /// In place, of a tensor on the rank's own SIP. Every rank's call must match the others': checked at once,
  /// at no simulated cost.
  [[nodiscard]] Work<std::monostate> all_reduce(Tensor tensor, AllReduceOptions options = {},
                                                std::source_location at = std::source_location::current());

 private:
  Task<std::monostate> run_all_reduce(Tensor tensor, Tensor::Update update, std::source_location at);
  void require_runnable(const Tensor& tensor, const std::source_location& at) const;

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
 public:
  Rank(Session& session, World& world, int rank_index)
      : index{rank_index},
        ahbm{session, rank_index},
        accelerator{ahbm},
        torch{session, rank_index, ahbm.device()},
        dist{session, world, works_, rank_index},
        mp{session, world},
        session_{session},
        works_{session.sim()} {}
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  const int index;
  Accelerator ahbm;
  Accelerator& accelerator;
  Torch torch;
  Distributed dist;
  Multiprocessing mp;

  [[nodiscard]] Session& session() const { return session_; }

  /// Runs a kernel on the PEs of this rank's package that own shards of `on`, until the last has ended;
  /// gives when they ran. UsageError for an unknown kernel, or arguments that aren't of its own type.
  [[nodiscard]] Task<hw::Activity> launch(std::string kernel, Tensor on, std::any args);

  /// The program of this rank. KernelFault if it ends without having awaited all that it started.
  [[nodiscard]] Task<> run(Task<> program);

 private:
  Session& session_;
  Works works_;  // goes first: it uses the others
};

template <class Args>
Task<> Multiprocessing::spawn(Task<> (*fn)(Rank&, Args), std::type_identity_t<Args> args,
                              SpawnOptions options) {
  Ranks ranks{session_, world_, options.nprocs};
  for (int i = 0; i < ranks.count(); ++i) ranks.start(i, fn(ranks.rank(i), args));
  co_await ranks.join();
}

}  // namespace kbsim::host
