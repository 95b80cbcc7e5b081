#include <algorithm>
#include <random>

#include "program.hpp"

namespace kbsim::soak {
namespace {

using Kind = Step::Kind;

class Author {
 public:
  Author(std::uint64_t seed, const std::vector<PeCoord>& pes) : random_{seed} {
    programs_.pes = pes;
    std::ranges::shuffle(programs_.pes, random_);
    programs_.pes.resize(std::min<std::size_t>(pes.size(), static_cast<std::size_t>(1 + below(6))));
    const std::vector<std::int64_t> elements{1, 2, 3, 8, 17, 64};
    programs_.elements = elements[static_cast<std::size_t>(below(static_cast<int>(elements.size())))];
  }

  Programs write() {
    if (programs_.pes.size() > 1) wire();
    flawed_ = below(3) == 0;
    for (int launches = 1 + (below(3) == 0 ? below(3) : 0); launches > 0; --launches) launch();
    return std::move(programs_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  int any_register() { return below(kRegisters); }

  void launch() {
    programs_.launches.emplace_back(programs_.pes.size() + 1);
    for (int i = 0, pieces = below(40); i < pieces; ++i) {
      if (!programs_.wires.empty() && below(2) == 0) {
        message();
      } else {
        compute(below(static_cast<int>(programs_.pes.size())));
      }
      if (below(12) == 0) barrier();
    }
  }

  void wire() {
    const int pes = static_cast<int>(programs_.pes.size());
    for (int i = 0, wires = 1 + below(5); i < wires; ++i) {
      const int a = below(pes);
      const int b = (a + 1 + below(pes - 1)) % pes;
      const std::string name = "q" + std::to_string(i);
      ends_.emplace_back(a, b);
      programs_.wires.push_back({.a = programs_.pes[static_cast<std::size_t>(a)],
                                 .b = programs_.pes[static_cast<std::size_t>(b)],
                                 .name_at_a = name,
                                 .name_at_b = name + "'"});
    }
  }

  // At the end; in a flawed program sometimes a little before it.
  void insert(int pe, const Step& step) {
    std::vector<Step>& steps = programs_.launches.back()[static_cast<std::size_t>(pe)];
    const int back = std::min(static_cast<int>(steps.size()), flawed_ && below(8) == 0 ? below(4) : 0);
    steps.insert(steps.end() - back, step);
  }

  void message() {
    const auto at = static_cast<std::size_t>(below(static_cast<int>(ends_.size())));
    const Wire& wire = programs_.wires[at];
    const bool forth = below(2) == 0;
    constexpr Kind kSends[]{Kind::send, Kind::send, Kind::keep_send};
    constexpr Kind kRecvs[]{Kind::recv, Kind::recv, Kind::keep_recv, Kind::hold};
    const int from = forth ? ends_[at].first : ends_[at].second;
    const int to = forth ? ends_[at].second : ends_[at].first;
    const bool lost_send = flawed_ && below(20) == 0;
    const bool lost_recv = flawed_ && below(20) == 0;
    if (!lost_send)
      insert(from, {.kind = kSends[below(3)],
                    .queue = forth ? wire.name_at_a : wire.name_at_b,
                    .from = any_register()});
    if (!lost_recv)
      insert(
          to,
          {.kind = kRecvs[below(4)], .queue = forth ? wire.name_at_b : wire.name_at_a, .to = any_register()});
    if (below(3) == 0)
      insert(below(2) == 0 ? from : to, {.kind = below(2) == 0 ? Kind::await_oldest : Kind::let_go});
  }

  void compute(int pe) {
    constexpr Kind kKinds[]{Kind::load, Kind::store, Kind::combine, Kind::combine};
    insert(pe, {.kind = kKinds[below(4)], .to = any_register(), .from = any_register()});
  }

  // A barrier of all PEs; if one PE lacks it, the others of its package get stuck.
  void barrier() {
    for (std::size_t pe = 0; pe <= programs_.pes.size(); ++pe) {
      const bool lost = flawed_ && below(30) == 0;
      if (!lost) insert(static_cast<int>(pe), {.kind = Kind::barrier});
    }
  }

  std::mt19937_64 random_;
  Programs programs_;
  bool flawed_ = false;
  std::vector<std::pair<int, int>> ends_;  // of the wires, as PEs' numbers
};

}  // namespace

Programs random_programs(std::uint64_t seed, const std::vector<PeCoord>& pes) {
  return Author{seed, pes}.write();
}

const std::vector<Step>& Programs::of(PeCoord pe, std::size_t launch) const {
  const auto found = std::ranges::find(pes, pe);
  return launches[launch][static_cast<std::size_t>(found - pes.begin())];
}

}  // namespace kbsim::soak
