#pragma once

#include <any>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kbsim/base/require_function.hpp"
#include "kbsim/host/distributed.hpp"
#include "kbsim/host/host_range.hpp"
#include "kbsim/host/rank_world.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

class Rank;

struct LaunchOptions {
  std::optional<int> target_pe = {};  // one PE per cube; none: all PEs that own shards
};

/// The device of a rank: the package of its new tensors, its own package unless it chooses another.
class Accelerator {
 public:
  Accelerator(Session& session, World& world, int rank)
      : session_{session}, world_{world}, rank_{rank}, device_{rank} {}
  /// From the next instant on, the rank's collectives run there. UsageError from device_count() on; no change
  /// for a negative index, as in PyTorch.
  void set_device(int index, std::source_location at = std::source_location::current());
  [[nodiscard]] int current_device() const { return device_; }
  /// PyTorch's newer names.
  void set_device_index(int index, std::source_location at = std::source_location::current()) {
    set_device(index, at);
  }
  [[nodiscard]] int current_device_index() const { return current_device(); }
  [[nodiscard]] int device_count() const;
  [[nodiscard]] const int& device() const { return device_; }

 private:
  Session& session_;
  World& world_;
  int rank_;
  int device_;
};

struct SpawnOptions {
  int nprocs = 1;
};

/// A move by the DMA of PE `pe` of cube `cube` of the tensors' package. Both tensors have one shape and
/// dtype, and that PE's MMU maps them: they are on that PE, or shared.
struct PeDma {
  Tensor from;
  Tensor to;
  int cube = 0;
  int pe = 0;
};

/// A rank's `mp`.
class Multiprocessing {
 public:
  using Here = std::source_location;

  Multiprocessing(Session& session, World& world) : session_{session}, world_{world} {}

  /// Runs fn(rank, args) for ranks 0 to nprocs - 1, args copied for each, until all have returned. If any
  /// fails, a SpawnException reports the failure of the smallest (time, rank); the other ranks are cancelled.
  template <class Args>
  [[nodiscard]] Task<> spawn(Task<> (*fn)(Rank&, Args), std::type_identity_t<Args> args, SpawnOptions options,
                             Here at = Here::current());
  [[nodiscard]] Task<> spawn(Task<> (*fn)(Rank&), SpawnOptions options, Here at = Here::current());

 private:
  Session& session_;
  World& world_;
};

/// One host program's view of the machine. Nothing is global.
class Rank {
  Session& session_;
  World& world_;
  std::shared_ptr<Works> works_;  // all operations that the members below start

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

  /// Runs a kernel on the PEs that own shards of the first of `tensors`, which are on one package. Done when
  /// the last PE has ended; gives the times. It may write any tensor: a read of one waits for it. It has the
  /// queues of the process group's first algorithm. UsageError for an unknown kernel, or arguments of another
  /// type. These PEs are the grid that tl.program_id and tl.num_programs count.
  [[nodiscard]] Work<hw::Activity> launch(std::string kernel, std::vector<Tensor> tensors, std::any args,
                                          LaunchOptions options, Here at = Here::current());
  [[nodiscard]] Work<hw::Activity> launch(std::string kernel, std::vector<Tensor> tensors, std::any args,
                                          Here at = Here::current()) {
    return launch(std::move(kernel), std::move(tensors), std::move(args), LaunchOptions{}, at);
  }
  [[nodiscard]] Work<hw::Activity> launch(std::string kernel, Tensor on, std::any args,
                                          Here at = Here::current()) {
    return launch(std::move(kernel), std::vector{std::move(on)}, std::move(args), at);
  }

  /// Sets up the queues of an algorithm outside of a process group, by messages, for kernels that this
  /// program launches. `world_size`: the number of ranks; 0: the algorithm's own. Gives the plans.
  [[nodiscard]] Task<std::vector<ccl::InstallPlan>> install_ipcq(std::string algorithm, int world_size = 0,
                                                                 Here at = Here::current());

  /// Moves the elements of a tensor to another by a PE's DMA, without a kernel; gives the times. A read of
  /// the target waits for it. UsageError for tensors of different shape, dtype or package, or a PE that
  /// doesn't exist; KernelFault for memory that isn't mapped.
  [[nodiscard]] Work<hw::Activity> pe_dma(PeDma move, Here at = Here::current());

  /// `const auto part = rk.range("layer 3");` names the program's work from here to the end of the block on
  /// the timeline.
  [[nodiscard]] HostRange range(std::string_view name, Here at = Here::current()) const {
    return {session_, index, name, at};
  }

  /// Runs the program of this rank. KernelFault if it ends before it has awaited all its operations, or with
  /// an exception that isn't an Error.
  [[nodiscard]] Task<> run(Task<> program);
  /// The same, but passes on the program's exceptions unchanged.
  [[nodiscard]] Task<> run_bare(Task<> program);
};

template <class Args>
Task<> Multiprocessing::spawn(Task<> (*fn)(Rank&, Args), std::type_identity_t<Args> args,
                              SpawnOptions options, Here at) {
  require_function(fn != nullptr, "mp.spawn", at);
  Ranks ranks{session_, world_, options.nprocs, at};
  for (int i = 0; i < ranks.count(); ++i) ranks.start(i, fn(ranks.rank(i), args));
  co_await ranks.join();
}

}  // namespace kbsim::host
