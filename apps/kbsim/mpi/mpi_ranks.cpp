// Ranks over MPI: a separate shared object, which the command loads if mpirun started it.
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include "kbsim/sweep/worker_ranks.hpp"

namespace kbsim::sweep {
namespace {

constexpr int kLine = 1;

class MpiRanks : public Ranks {
 public:
  [[nodiscard]] int rank() const override { return world_.rank(); }
  [[nodiscard]] int size() const override { return world_.size(); }

  // MPI buffers short lines, so that a sender doesn't wait for the receiver.
  void send(int to, const std::string& line) override {
    world_.send(to, kLine, line.data(), static_cast<int>(line.size()));
  }

  std::optional<std::pair<int, std::string>> receive() override {
    const auto arrived = world_.iprobe(boost::mpi::any_source, kLine);
    if (!arrived) return std::nullopt;
    std::string line(static_cast<std::size_t>(*arrived->count<char>()), '\0');
    world_.recv(arrived->source(), kLine, line.data(), static_cast<int>(line.size()));
    return std::pair{arrived->source(), line};
  }

 private:
  boost::mpi::environment environment_{boost::mpi::threading::single, false};
  boost::mpi::communicator world_;
};

}  // namespace
}  // namespace kbsim::sweep

extern "C" kbsim::sweep::Ranks* kbsim_mpi_ranks() { return new kbsim::sweep::MpiRanks; }
