#include "kbsim/host/world.hpp"

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"

namespace kbsim::host {

void World::require_initialized() const {
  if (initialized()) return;
  throw UsageError{
      "Default process group has not been initialized, please make sure to call init_process_group."};
}

void World::initialize(int size, std::string backend) {
  if (initialized()) throw UsageError{"trying to initialize the default process group twice!"};
  size_ = size;
  backend_ = std::move(backend);
}

void World::begin(int rank, const Fingerprint& what, const std::source_location& at) {
  const std::uint64_t sequence = sequences_[rank]++;
  const auto [first, fresh] = calls_.try_emplace(sequence, Call{rank, what, at});
  if (fresh || first->second.what == what) return;
  const auto print = [&](const Call& call) {
    return fmt::format(
        "Rank {} is running collective: CollectiveFingerPrint(SequenceNumber={}, OpType={}, TensorShape={}, "
        "TensorDtypes={}) at {}",
        call.rank, sequence, call.what.operation, call.what.shape, call.what.dtype,
        to_string(to_place(call.at)));
  };
  throw KernelFault{"Detected mismatch between collectives on ranks. " + print({rank, what, at}) + ", but " +
                    print(first->second)};
}

Ranks::Ranks(Session& session, World& world)
    : session_{session}, world_{world}, ended_{session.sim(), "the ranks' end"} {}

Ranks::~Ranks() = default;

Rank& Ranks::rank(int index) {
  while (static_cast<int>(ranks_.size()) <= index) {
    ranks_.push_back(std::make_unique<Rank>(session_, world_, static_cast<int>(ranks_.size())));
  }
  return *ranks_[static_cast<std::size_t>(index)];
}

void Ranks::start(int index, Task<> program) {
  ++running_;
  processes_.push_back(session_.sim().spawn(fmt::format("rank {}", index), run(index, std::move(program))));
}

// A failure of the same time on a smaller rank takes the place of an earlier one.
Task<> Ranks::run(int index, Task<> program) {
  std::exception_ptr error;
  try {
    co_await std::move(program);
  } catch (...) {
    error = std::current_exception();
  }
  if (error && (!failure_ || index < failure_->rank)) failure_ = Failure{.rank = index, .error = error};
  --running_;
  if (failure_ || running_ == 0) ended_.set();
}

Task<> Ranks::join() {
  co_await ended_.wait();
  co_await session_.sim().late();
  if (!failure_) co_return;
  for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) process->cancel();
  const std::string header =
      fmt::format("-- Process {} terminated with the following error:\n", failure_->rank);
  try {
    std::rethrow_exception(failure_->error);
  } catch (const Error& error) {
    throw Error{error.exit_code(), header + error.what()};
  } catch (const std::exception& error) {
    throw Error{ExitCode::internal, header + error.what()};
  }
}

}  // namespace kbsim::host
