#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kbsim/ccl/tuner.hpp"
#include "kbsim/config/collective.hpp"
#include "kbsim/host/process_group.hpp"
#include "kbsim/host/rank_world.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/collective_args.hpp"

namespace kbsim::host {

struct ProcessGroupOptions {
  std::string backend = "ahbm";
  std::vector<std::string> algorithms = {};  // none: the session's own
};

struct GroupOptions {
  std::vector<std::string> algorithms = {};  // none: the default group's
};

using ReduceOp = Reduction;

struct Exchange;        // internal
struct LaunchSettings;  // internal

/// `algorithm`: one of the process group's. "": its first one for the collective that fits the tensors; if
/// none fits, the declared one with the lowest estimate on the tensors' PEs (ccl::candidates).
struct CollectiveOptions {
  std::string algorithm = {};
  Group group = {};
};

struct AllReduceOptions {
  std::optional<ReduceOp> op = {};  // the algorithm's own: `reduce_op` in ccl.yaml
  std::string algorithm = {};
  Group group = {};
};

/// The arguments of any collective: `output` unless it works in place, `op` if it combines, `root` if it has
/// one. The root is a rank of the world, as in PyTorch.
struct CollectiveCall {
  Tensor input;
  std::optional<Tensor> output = {};
  std::optional<ReduceOp> op = {};  // the algorithm's own: `reduce_op` in ccl.yaml
  int root = 0;
  std::string algorithm = {};
  Group group = {};
};

struct BroadcastOptions {
  int src = 0;
  std::string algorithm = {};
  Group group = {};
};

struct ReduceOptions {
  int dst = 0;
  std::optional<ReduceOp> op = {};  // the algorithm's own: `reduce_op` in ccl.yaml
  std::string algorithm = {};
  Group group = {};
};

/// Rows of axis 0 to and from each rank of the group, any numbers from 0 on; empty: equal parts. Sizes that
/// are all 0 stand for no rows: no tensor is empty. Either all ranks give split sizes, or none does. With
/// them messages between pairs replace the algorithm, and each PE of a tensor has all of it.
struct AllToAllOptions {
  std::vector<std::int64_t> output_split_sizes = {};
  std::vector<std::int64_t> input_split_sizes = {};
  std::string algorithm = {};
  Group group = {};
};

/// One of the messages of batch_isend_irecv, as P2POp{P2POp::isend, x, 1}; its peer is a rank of the world.
struct P2POp {
  enum class Kind { isend, irecv };
  using enum Kind;
  Kind kind = Kind::isend;
  Tensor tensor;
  int peer = 0;
  Group group = {};
};

/// A rank's `dist`: collectives over all ranks or a group of them, by the group's algorithms, and messages
/// between two ranks. When an awaited call returns, it is complete on this rank. Calls run in their order,
/// awaited or not.
///
/// A rank is a package with a program of its own. If an algorithm's world_size makes ranks of PEs, a program
/// acts for the ranks of its package: each shard of its tensors is a rank's, get_rank() gives the first rank,
/// and there are neither groups nor messages between two ranks.
///
/// Tensors are on the rank's device, and a collective works shard by shard. The calls of all ranks must
/// match: checked at once, at no simulated cost. Impossible calls throw UsageError at the call itself.
class Distributed {
 public:
  using Here = std::source_location;
  using Done = Work<std::monostate>;

  Distributed(Session& session, World& world, Works& works, int rank);

  /// Sets up the queues of the algorithms on every package, by messages.
  [[nodiscard]] Task<> init_process_group(ProcessGroupOptions options, Here at = Here::current());
  /// Removes the queues of the group, by messages; for the default group, the queues of all groups. The main
  /// program acts for all ranks; once ranks run, all members call it. UsageError while a collective is under
  /// way.
  [[nodiscard]] Task<> destroy_process_group(Group group = {}, Here at = Here::current());
  [[nodiscard]] bool is_initialized() const { return world_.initialized(); }
  [[nodiscard]] std::string get_backend(Here at = Here::current()) const;
  /// This rank in the group; -1 if it is no member.
  [[nodiscard]] int get_rank(const Group& group = {}, Here at = Here::current()) const;
  [[nodiscard]] int get_world_size(const Group& group = {}, Here at = Here::current()) const;
  [[nodiscard]] std::vector<int> get_process_group_ranks(const Group& group = {},
                                                         Here at = Here::current()) const;

  /// A group of these ranks, numbered in ascending order, with queues of its own, set up by messages. All
  /// ranks call it, members or not, in the same order; the main program acts for all. KernelFault naming both
  /// calls if they differ.
  [[nodiscard]] Task<Group> new_group(std::vector<int> ranks, GroupOptions options = {},
                                      Here at = Here::current());

  /// Done when all ranks of the group have reached it. PE 0 of cube 0 of each rank sends the messages.
  [[nodiscard]] Done barrier(Group group = {}, Here at = Here::current());
  /// Lets other processes run that can run at this time.
  [[nodiscard]] Task<> cooperative_yield();

  /// In place: the combination of all ranks' tensors, on every rank (all_reduce) or on `dst` only (reduce);
  /// or `src`'s tensor (broadcast).
  [[nodiscard]] Done all_reduce(Tensor tensor, AllReduceOptions options = {}, Here at = Here::current());
  [[nodiscard]] Done reduce(Tensor tensor, ReduceOptions options = {}, Here at = Here::current());
  [[nodiscard]] Done broadcast(Tensor tensor, BroadcastOptions options = {}, Here at = Here::current());
  /// In place: the tensor of the rank before this one.
  [[nodiscard]] Done sendrecv(Tensor tensor, CollectiveOptions options = {}, Here at = Here::current());

  /// `output` is all ranks' inputs, one after the other.
  [[nodiscard]] Done all_gather_into_tensor(Tensor output, Tensor input, CollectiveOptions options = {},
                                            Here at = Here::current());
  /// `output` is this rank's part of the combination of all inputs.
  [[nodiscard]] Done reduce_scatter_tensor(Tensor output, Tensor input, AllReduceOptions options = {},
                                           Here at = Here::current());
  /// Part i of `output` is this rank's part of rank i's input. KernelFault naming both calls if a rank sends
  /// a part of another size than its peer expects.
  [[nodiscard]] Done all_to_all_single(Tensor output, Tensor input, AllToAllOptions options = {},
                                       Here at = Here::current());

  /// scatter: `src` has a tensor for each rank of the group. gather: `dst` gets a tensor from each.
  [[nodiscard]] Done scatter(Tensor tensor, std::vector<Tensor> scatter_list = {}, int src = 0,
                             Group group = {}, Here at = Here::current());
  [[nodiscard]] Done gather(Tensor tensor, std::vector<Tensor> gather_list = {}, int dst = 0,
                            Group group = {}, Here at = Here::current());
  /// The same as ..._into_tensor and ..._tensor, with a tensor for each rank, which may differ in shape.
  [[nodiscard]] Done all_gather(std::vector<Tensor> tensor_list, Tensor tensor, Group group = {},
                                Here at = Here::current());
  [[nodiscard]] Done reduce_scatter(Tensor output, std::vector<Tensor> input_list,
                                    ReduceOp op = ReduceOp::sum, Group group = {}, Here at = Here::current());
  /// Tensor i of `output_tensor_list` gets this rank's tensor of rank i's inputs, which may differ in shape.
  [[nodiscard]] Done all_to_all(std::vector<Tensor> output_tensor_list, std::vector<Tensor> input_tensor_list,
                                Group group = {}, Here at = Here::current());

  /// Moves any boxes of tensors between all pairs; list collectives and changes of a sharding use it.
  [[nodiscard]] Done exchange(Exchange exchange);

  /// Any collective of the table, by its name: "halo_exchange" as a plug-in has registered it.
  [[nodiscard]] Done collective(config::Collective which, CollectiveCall call, Here at = Here::current());

  /// Sends a tensor to another rank, which receives one of the same shape, dtype and placement. Each PE sends
  /// its shard to the same PE there. A send is done when its tensor may be written again.
  [[nodiscard]] Done isend(Tensor tensor, int dst, Group group = {}, Here at = Here::current());
  [[nodiscard]] Done irecv(Tensor tensor, int src, Group group = {}, Here at = Here::current());
  /// PyTorch's blocking names: await them at once.
  [[nodiscard]] Done send(Tensor tensor, int dst, Group group = {}, Here at = Here::current()) {
    return isend(std::move(tensor), dst, std::move(group), at);
  }
  [[nodiscard]] Done recv(Tensor tensor, int src, Group group = {}, Here at = Here::current()) {
    return irecv(std::move(tensor), src, std::move(group), at);
  }
  /// All messages side by side, in one kernel. So their order can't make two ranks wait for each other.
  [[nodiscard]] Done batch_isend_irecv(std::vector<P2POp> ops, Here at = Here::current());

  using Setups = std::vector<std::shared_ptr<QueueSetup>>;
  using Job = std::shared_ptr<const hw::ControlJob>;
  /// Sends an order of this rank's program when the queues are set up, aborts have ended, earlier orders have
  /// been sent, and the host's current writes to the tensors are done.
  [[nodiscard]] Task<hw::Activity> launch(Job job, Setups setups, const std::vector<Tensor>& tensors);

 private:
  struct Call;
  struct Site;

  Done begin(Call call);
  [[nodiscard]] ProcessGroup::Agreed agree(const Call& call, const Setups& setups) const;
  [[nodiscard]] CollectiveTiming timing_of(const Call& call) const;
  Done begin_p2p(std::string_view call, std::vector<P2POp> ops, Here at);
  Done all_to_all_by_splits(const Tensor& output, const Tensor& input, AllToAllOptions options, Here at);
  void post(const std::vector<P2POp>& ops, const Site& site, Here at) const;
  [[nodiscard]] Site site_of(const Group& group, std::string_view call, const Here& at) const;
  void require_runnable(const Call& call) const;
  [[nodiscard]] CollectiveArgs args_of(const Call& call, Bytes tcm) const;
  [[nodiscard]] LaunchSettings settings_of(const Call& call, const ProcessGroup::Agreed& agreed) const;
  [[nodiscard]] Job job_of(const Call& call, const ProcessGroup::Agreed& agreed) const;
  void require_plan(const Call& call) const;
  void make_plan_memory(Call& call) const;
  [[nodiscard]] Job plan_job(const Call& call, const ProcessGroup::Agreed& agreed) const;
  [[nodiscard]] bool fits(const Call& call, const InstalledAlgorithm& by) const;
  void find_algorithm(Call& call) const;
  [[nodiscard]] bool fits_anywhere(const Call& call) const;
  [[nodiscard]] const InstalledAlgorithm* chosen(const Call& call) const;
  void print_choice(const Call& call, const std::vector<ccl::Candidate>& candidates) const;
  [[nodiscard]] Setups setups_of(const Call& call);
  [[nodiscard]] Bytes tcm_for(const Call& call, const Setups& setups) const;
  [[nodiscard]] Job job_anywhere(const Call& call, const ProcessGroup::Agreed& agreed) const;
  Task<std::monostate> run(InUse tensors, std::vector<Tensor::Update> updates, Task<hw::Activity> launch,
                           CollectiveTiming timing);

  [[nodiscard]] std::shared_ptr<ProcessGroup> group_of(const Group& group, const Here& at) const;
  /// UsageError, in PyTorch's words, if this rank is no member.
  [[nodiscard]] std::shared_ptr<ProcessGroup> own_group(const Group& group, std::string_view call,
                                                        const Here& at) const;
  [[nodiscard]] std::shared_ptr<ProcessGroup> made_group(std::vector<int> ranks, const GroupOptions& options,
                                                         const Here& at);
  /// Queues between one PE of each member's package.
  [[nodiscard]] std::shared_ptr<QueueSetup> setup_of(const Site& site, const config::AlgorithmSpec& queues,
                                                     PeCoord pe);
  void require_removable(const ProcessGroup& group, const Here& at) const;
  Task<> remove(std::shared_ptr<ProcessGroup> group);

  static Task<hw::Activity> launch_later(Session& session, int rank, Job job, Setups setups,
                                         std::vector<std::shared_ptr<Written>> before,
                                         std::shared_ptr<Written> sent);
  Task<std::monostate> run_messages(InUse tensors, std::vector<Tensor::Update> updates,
                                    Task<hw::Activity> launch);

  Session& session_;
  World& world_;
  Works& works_;
  int rank_;
  int next_group_;                      // number of the next group that it makes
  std::uint64_t messages_ = 0;          // calls with messages so far
  std::shared_ptr<Written> last_sent_;  // the last launch that had to wait
};

}  // namespace kbsim::host
