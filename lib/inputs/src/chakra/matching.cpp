#include "matching.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

#include "forms.hpp"

namespace kbsim::inputs::chakra {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

class Matcher {
 public:
  Matcher(const std::vector<std::vector<Call>>& calls, const std::vector<StatedGroups>& stated,
          Workload& workload)
      : calls_{calls}, stated_{stated}, to_{workload} {}

  void run() {
    find_groups();
    for (std::size_t group = 0; group < to_.groups.size(); ++group) match_collectives(group);
    match_messages();
  }

 private:
  using OfGroup = std::vector<std::vector<const Call*>>;  // by rank
  [[nodiscard]] const WorkItem& item(const Call& call) const { return to_.items[call.item]; }

  [[noreturn]] void refuse(const Call& call, const std::string& text) const {
    throw UsageError{fmt::format("{}: {}", described(item(call)), text)};
  }

  using Group = std::pair<std::string, std::vector<int>>;  // name; ranks, where a trace states them

  // As the rank's own trace states it, or the trace of another rank whose group contains this rank.
  [[nodiscard]] Group group_of(const Call& call) const {
    const std::string& name = call.meaning.group;
    const auto rank = item(call).rank;
    const auto& own = stated_[static_cast<std::size_t>(rank)];
    if (const auto found = own.find(name); found != own.end()) {
      if (!std::ranges::binary_search(found->second, rank))
        refuse(call, fmt::format("process group '{}' of its trace hasn't this rank", name));
      return {name, found->second};
    }
    for (const StatedGroups& groups : stated_) {
      const auto found = groups.find(name);
      if (found != groups.end() && std::ranges::binary_search(found->second, rank))
        return {name, found->second};
    }
    return {name, {}};
  }

  // If no trace states a group's ranks, they are the ranks that call its collectives.
  void find_groups() {
    std::map<Group, std::vector<int>> callers;
    for (const auto& calls : calls_) {
      for (const Call& call : calls) {
        if (call.type != NodeType::collective || call.meaning.group.empty()) continue;
        std::vector<int>& ranks = callers[group_of(call)];
        if (ranks.empty() || ranks.back() != item(call).rank) ranks.push_back(item(call).rank);
      }
    }
    std::vector<int> all(static_cast<std::size_t>(to_.ranks));
    std::iota(all.begin(), all.end(), 0);
    to_.groups.push_back(std::move(all));
    number_of_[{}] = 0;
    for (auto& [group, ranks] : callers) {
      number_of_[group] = to_.groups.size();
      to_.groups.push_back(group.second.empty() ? std::move(ranks) : group.second);
    }
    by_group_.assign(to_.groups.size(), OfGroup(static_cast<std::size_t>(to_.ranks)));
    for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
      for (const Call& call : calls_[rank]) {
        if (call.type == NodeType::collective) by_group_[number_of(call)][rank].push_back(&call);
      }
    }
  }

  [[nodiscard]] std::size_t number_of(const Call& call) const {
    return call.meaning.group.empty() ? 0 : number_of_.at(group_of(call));
  }

  void match_collectives(std::size_t group) {
    const std::vector<int>& ranks = to_.groups[group];
    const auto calls_on = [&](int rank) -> const std::vector<const Call*>& {
      return by_group_[group][static_cast<std::size_t>(rank)];
    };
    const auto count = [&](int rank) { return calls_on(rank).size(); };
    const int most = *std::ranges::max_element(ranks, {}, count);
    const int least = *std::ranges::min_element(ranks, {}, count);
    if (count(most) != count(least))
      refuse(*calls_on(most)[count(least)],
             fmt::format("collective {} of its group on this rank, but rank {} has {} of them",
                         count(least) + 1, least, count(least)));
    for (std::size_t k = 0; k < count(least); ++k) {
      std::vector<const Call*> calls;
      for (const int rank : ranks) calls.push_back(calls_on(rank)[k]);
      add_collective(group, calls);
    }
  }

  [[nodiscard]] const Form& form_of(const Call& call) const {
    const Meaning& meaning = call.meaning;
    const Form* form = meaning.comm_type           ? form_numbered(*meaning.comm_type)
                       : meaning.comm_name.empty() ? nullptr
                                                   : form_named(meaning.comm_name);
    if (form != nullptr) return *form;
    if (meaning.comm_type) refuse(call, fmt::format("comm_type is {}, expected 0 to 9", *meaning.comm_type));
    refuse(call,
           meaning.comm_name.empty() ? "a collective without comm_type" : unknown_form(meaning.comm_name));
  }

  void add_collective(std::size_t group, const std::vector<const Call*>& calls) {
    const Call& first = *calls.front();
    const Form& form = form_of(first);
    Communication found{.kind = form.kind,
                        .collective = form.collective,
                        .group = group,
                        .ranks = to_.groups[group],
                        .items = {},
                        .bytes = bytes_of(first),
                        .root = root_of(first, form)};
    for (const Call* call : calls) {
      // A named group gets its ranks from its callers.
      if (!call->meaning.all_dims && call->meaning.group.empty())
        throw Unsupported{
            fmt::format("{}: a collective over some dimensions of the network alone (involved_dim); "
                        "name its ranks by pg_name",
                        described(item(*call)))};
      if (form_of(*call).name != form.name || bytes_of(*call) != found.bytes)
        refuse(*call, fmt::format("{} of {} bytes meets {} of {} bytes, {}", form_of(*call).name,
                                  bytes_of(*call), form.name, found.bytes, described(item(first))));
      if (tag_of(*call) != tag_of(first))
        refuse(*call, fmt::format("its comm_tag is {}, but that of {} {}", tag_of(*call),
                                  described(item(first)), tag_of(first)));
      if (root_of(*call, form) != found.root)
        refuse(*call, fmt::format("its root is rank {}, but that of {} rank {}", root_of(*call, form),
                                  described(item(first)), found.root));
      found.items.push_back(call->item);
    }
    const bool member = std::ranges::find(found.ranks, found.root) != found.ranks.end();
    if (!member) refuse(first, fmt::format("its root, rank {}, is none of its group", found.root));
    add(std::move(found));
  }

  static std::int64_t tag_of(const Call& call) { return call.meaning.comm_tag.value_or(0); }

  // A collective without a root uses the first rank of the group.
  [[nodiscard]] int root_of(const Call& call, const Form& form) const {
    const bool to_one =
        form.kind == CommunicationKind::gather || form.collective == config::Collective::reduce;
    const bool from_one =
        form.kind == CommunicationKind::scatter || form.collective == config::Collective::broadcast;
    const auto given = to_one     ? call.meaning.comm_dst
                       : from_one ? call.meaning.comm_src
                                  : std::optional<std::int64_t>{};
    const int first = to_.groups[number_of(call)].front();
    if (!given || *given < 0) return first;
    if (*given >= to_.ranks) refuse(call, fmt::format("its root, rank {}, is none of its group", *given));
    return static_cast<int>(*given);
  }

  [[nodiscard]] std::int64_t bytes_of(const Call& call) const {
    const bool is_barrier =
        call.type == NodeType::collective && form_of(call).kind == CommunicationKind::barrier;
    if (!call.meaning.comm_size && !is_barrier) refuse(call, "what it sends has no comm_size");
    const std::int64_t bytes = call.meaning.comm_size.value_or(0);
    if (bytes < 0 || bytes > kMostBytes)
      refuse(call, fmt::format("comm_size is {}, expected 0 to {}", bytes, kMostBytes));
    return bytes;
  }

  using Channel = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // from, to, tag

  void match_messages() {
    std::map<Channel, std::array<std::vector<const Call*>, 2>> channels;  // sends, receives
    for (int rank = 0; rank < to_.ranks; ++rank) {
      for (const Call& call : calls_[static_cast<std::size_t>(rank)]) {
        if (call.type == NodeType::collective) continue;
        const bool sends = call.type == NodeType::send;
        const std::int64_t peer = peer_of(call, sends);
        const std::int64_t tag = tag_of(call);
        channels[sends ? Channel{rank, peer, tag} : Channel{peer, rank, tag}][sends ? 0 : 1].push_back(&call);
      }
    }
    for (const auto& [channel, sides] : channels) match_channel(channel, sides[0], sides[1]);
  }

  [[nodiscard]] std::int64_t peer_of(const Call& call, bool sends) const {
    const auto given = sends ? call.meaning.comm_dst : call.meaning.comm_src;
    const char* name = sends ? "comm_dst" : "comm_src";
    if (!given) refuse(call, fmt::format("a message without {}", name));
    if (*given < 0 || *given >= to_.ranks || *given == item(call).rank)
      refuse(call, fmt::format("{} is {}, expected another rank of 0 to {}", name, *given, to_.ranks - 1));
    const auto own = sends ? call.meaning.comm_src : call.meaning.comm_dst;
    if (own.value_or(-1) >= 0 && *own != item(call).rank)
      refuse(call, fmt::format("{} is {}, expected its own rank", sends ? "comm_src" : "comm_dst", *own));
    return *given;
  }

  void match_channel(const Channel& channel, const std::vector<const Call*>& sends,
                     const std::vector<const Call*>& receives) {
    const auto& [from, to, tag] = channel;
    const std::size_t both = std::min(sends.size(), receives.size());
    if (sends.size() > both)
      refuse(*sends[both], fmt::format("rank {} has no receive for this message (tag {})", to, tag));
    if (receives.size() > both)
      refuse(*receives[both], fmt::format("rank {} has no send for it (tag {})", from, tag));
    for (std::size_t k = 0; k < both; ++k) {
      const bool says_size = receives[k]->meaning.comm_size.has_value();
      if (says_size && bytes_of(*sends[k]) != bytes_of(*receives[k]))
        refuse(*receives[k], fmt::format("expects {} bytes, but {} sends {}", bytes_of(*receives[k]),
                                         described(item(*sends[k])), bytes_of(*sends[k])));
      add({.ranks = {static_cast<int>(from), static_cast<int>(to)},
           .items = {sends[k]->item, receives[k]->item},
           .bytes = bytes_of(*sends[k])});
    }
  }

  void add(Communication communication) {
    for (const std::uint32_t item : communication.items)
      to_.items[item].communication = static_cast<std::uint32_t>(to_.communications.size());
    to_.communications.push_back(std::move(communication));
  }

  const std::vector<std::vector<Call>>& calls_;
  const std::vector<StatedGroups>& stated_;
  Workload& to_;
  std::map<Group, std::size_t> number_of_;
  std::vector<OfGroup> by_group_;
};

}  // namespace

std::string described(const WorkItem& item) {
  return fmt::format("rank {}: node {} '{}'", item.rank, item.id, item.name);
}

void match(const std::vector<std::vector<Call>>& calls, const std::vector<StatedGroups>& stated,
           Workload& workload) {
  Matcher{calls, stated, workload}.run();
}

}  // namespace kbsim::inputs::chakra
