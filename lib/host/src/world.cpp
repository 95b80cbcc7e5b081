#include "kbsim/host/world.hpp"

#include <ranges>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::host {

std::string RankProgram::text() const { return fmt::format("rank {}", rank); }

void World::require_initialized() const {
  if (initialized()) return;
  throw UsageError{
      "Default process group has not been initialized, please make sure to call init_process_group."};
}

void World::require_uninitialized() const {
  if (initialized()) throw UsageError{"trying to initialize the default process group twice!"};
}

void World::initialize(int size, std::string backend, std::vector<InstalledAlgorithm> algorithms) {
  require_uninitialized();
  size_ = size;
  backend_ = std::move(backend);
  algorithms_ = std::move(algorithms);
}

std::uint64_t World::begin(int rank, const Fingerprint& what, const std::source_location& at) {
  if (failed_rank_) {
    throw UsageError{
        fmt::format("{}: the process group is broken: rank {} failed while a collective was under way",
                    to_string(to_place(at)), *failed_rank_)};
  }
  const std::uint64_t sequence = sequences_[rank]++;
  const auto [first, fresh] = calls_.try_emplace(sequence, Call{rank, what, at});
  if (first->second.what == what) {
    if (!fresh) ++first->second.ranks;
    if (first->second.ranks == size_) calls_.erase(first);
    return sequence;
  }
  const auto print = [&](const Call& call) {
    return fmt::format(
        "Rank {} is running collective: CollectiveFingerPrint(SequenceNumber={}, OpType={}, TensorShape={}, "
        "TensorDtypes={}, Options={}) at {}",
        call.rank, sequence, call.what.operation, call.what.shape, call.what.dtype, call.what.details,
        to_string(to_place(call.at)));
  };
  throw KernelFault{"Detected mismatch between collectives on ranks. " + print({rank, what, at}) + ", but " +
                    print(first->second)};
}

void World::abandon(int failed_rank) {
  if (under_way_ > 0) failed_rank_ = failed_rank;
  sequences_.clear();
  calls_.clear();
}

std::vector<PartialCollective> World::partial_collectives() const {
  std::vector<PartialCollective> partial;
  for (const auto& [sequence, call] : calls_) {
    PartialCollective& one = partial.emplace_back();
    for (int rank = 0; rank < size_; ++rank) {
      const auto next = sequences_.find(rank);
      if (next != sequences_.end() && next->second > sequence) {
        one.begun.push_back({.call = call.what.call, .sequence = sequence, .rank = rank});
      } else {
        one.missing.push_back(rank);
      }
    }
  }
  return partial;
}

Ranks::Ranks(Session& session, World& world, int count)
    : session_{session}, world_{world}, ended_{session.sim(), RanksEnd{}} {
  const int sips = session.spec().system.sips.count;
  if (count < 1 || count > sips) {
    throw UsageError{fmt::format(
        "spawn of {} processes on a machine of {} SIPs (system.sips.count); a rank is a SIP", count, sips)};
  }
  for (int i = 0; i < count; ++i) ranks_.push_back(std::make_unique<Rank>(session, world, i));
}

Ranks::~Ranks() { cancel(); }

void Ranks::cancel() {
  for (const Process& process : processes_ | std::views::reverse) process.cancel();
}

void Ranks::start(int index, Task<> program) {
  ++running_;
  const RankProgram id{index};
  processes_.push_back(session_.sim().spawn(id.text(), run(index, std::move(program)), id));
}

// A failure of the same time on a smaller rank takes the place of an earlier one.
Task<> Ranks::run(int index, Task<> program) {
  std::exception_ptr error;
  try {
    co_await rank(index).run(std::move(program));
  } catch (...) {
    error = std::current_exception();
  }
  if (error) ++failures_;
  if (error && (!failure_ || index < failure_->rank)) failure_ = Failure{.rank = index, .error = error};
  --running_;
  if (failure_ || running_ == 0) ended_.set();
}

Task<> Ranks::join() {
  co_await ended_.wait();
  co_await session_.sim().late();
  if (!failure_) co_return;
  cancel();
  world_.abandon(failure_->rank);
  const std::string header =
      fmt::format("\n-- Process {} terminated with the following error:\n", failure_->rank);
  const std::string others =
      failures_ > 1 ? fmt::format("\n({} more failed at the same time)", failures_ - 1) : "";
  try {
    std::rethrow_exception(failure_->error);
  } catch (const Error& error) {
    throw Error{error.exit_code(), header + error.what() + others};
  } catch (const std::exception& error) {
    throw Error{ExitCode::internal, header + error.what() + others};
  } catch (...) {
    throw Error{ExitCode::internal, header + "unknown exception" + others};
  }
}

}  // namespace kbsim::host
