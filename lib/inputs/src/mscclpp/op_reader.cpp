#include "op_reader.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

#include "../msccl/shown.hpp"
#include "mscclpp_keys.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

constexpr int kPartsLimit = 1024;
constexpr std::size_t kNone = SIZE_MAX;

struct OpName {
  std::string_view name;
  OpKind kind;
  std::size_t packets_in = kNone;
  std::size_t packets_out = kNone;
  bool signals = false;
};
constexpr std::array<OpName, 30> kOpNames{{{"nop", OpKind::nothing},
                                           {"flush", OpKind::nothing},
                                           {"put", OpKind::move},
                                           {"pws", OpKind::move, kNone, kNone, true},
                                           {"pwsf", OpKind::move, kNone, kNone, true},
                                           {"get", OpKind::move},
                                           {"copy", OpKind::move},
                                           {"ppkt", OpKind::move, kNone, 0},
                                           {"rppkt", OpKind::move, 0, 0},
                                           {"cpkt", OpKind::move, kNone, 0},
                                           {"upkt", OpKind::move, 0, kNone},
                                           {"re", OpKind::reduce},
                                           {"res", OpKind::reduce},
                                           {"rre", OpKind::reduce},
                                           {"rres", OpKind::reduce},
                                           {"repkt", OpKind::reduce, 1, kNone},
                                           {"respkt", OpKind::reduce, 1, 1},
                                           {"recpkt", OpKind::reduce, 1, 1},
                                           {"recspkt", OpKind::reduce, 1, 1},
                                           {"signal", OpKind::signal},
                                           {"rlxsignal", OpKind::signal},
                                           {"wait", OpKind::wait},
                                           {"rlxwait", OpKind::wait},
                                           {"barrier", OpKind::barrier},
                                           {"sem_acquire", OpKind::sem_acquire},
                                           {"sem_release", OpKind::sem_release},
                                           {"pipeline", OpKind::pipeline},
                                           {"glres", OpKind::in_switch},
                                           {"gstore", OpKind::in_switch},
                                           {"glre", OpKind::in_switch}}};
constexpr auto kChannelTypes =
    std::to_array<std::pair<std::string_view, ChannelType>>({{"memory", ChannelType::memory},
                                                             {"port", ChannelType::port},
                                                             {"switch", ChannelType::reducing_switch},
                                                             {"none", ChannelType::none}});

/// The item of a list whose index is in the file at `at`.
template <class Item>
const Item& listed(const std::vector<Item>& list, const Json& at, std::string_view what) {
  const int number = at.number(0, kIdsLimit);
  if (static_cast<std::size_t>(number) >= list.size())
    throw at.error(fmt::format("there is no {} {}: {} are listed", what, number, list.size()));
  return list[static_cast<std::size_t>(number)];
}

/// Reads the operations of a thread block.
class OpReader {
 public:
  OpReader(const OpsOf& of, int& parts) : of_{of}, parts_{parts} {}

  // A pipeline's operations run once for each piece of the chunks, like the operations beside it.
  void read(const Json& ops, std::vector<Op>& out, bool in_pipeline = false) const {
    ops.each([&](const Json& op) {
      const OpName& known = name_of(op.at("name"));
      if (known.kind != OpKind::pipeline) {
        out.push_back(op_of(op, known));
      } else if (in_pipeline) {
        throw unsupported(op, "pipeline in a pipeline");
      } else {
        require_known_keys(op, JsonKind::pipeline);
        read(op.at("ops"), out, true);
      }
    });
  }

 private:
  [[nodiscard]] Unsupported unsupported(const Json& op, std::string_view what) const {
    return Unsupported{fmt::format("{}: '{}' (rank {}, thread block {}) isn't run", to_string(op.place()),
                                   what, of_.rank, of_.block)};
  }

  [[nodiscard]] static const OpName& name_of(const Json& at) {
    const std::string_view name = at.string();
    const auto known = std::ranges::find(kOpNames, name, &OpName::name);
    if (known == kOpNames.end()) throw unknown(at, name);
    return *known;
  }

  [[nodiscard]] Op op_of(const Json& json, const OpName& known) const {
    const std::optional<Json> type = json.find("channel_type");
    const ChannelType channel = type ? type_of_channel(*type) : ChannelType::memory;
    if (channel == ChannelType::reducing_switch || known.kind == OpKind::in_switch)
      throw Unsupported{fmt::format("{}: '{}' (rank {}, thread block {}) needs a switch that reduces",
                                    to_string(json.place()), known.name, of_.rank, of_.block)};
    require_known_keys(json, JsonKind::op);
    require_sum(json, known.name);
    Op op{.kind = known.kind,
          .signals = known.signals,
          .packets_in = known.packets_in,
          .packets_out = known.packets_out,
          .name = std::string{known.name},
          .place = json.place()};
    read_operands(json, channel, op);
    return op;
  }

  [[nodiscard]] static InputError unknown(const Json& at, std::string_view name) {
    std::vector<std::string> all;
    for (const OpName& one : kOpNames) all.emplace_back(one.name);
    const std::string found = msccl::shown(name);
    return at.error(fmt::format("there is no operation '{}'{}", found, name_hint(found, all)));
  }

  void read_operands(const Json& json, ChannelType channel, Op& op) const {
    if (op.kind == OpKind::move || op.kind == OpKind::reduce) {
      json.at("src_buff").each([&](const Json& at) { op.from.push_back(range(json, at, channel)); });
      json.at("dst_buff").each([&](const Json& at) { op.to.push_back(range(json, at, channel)); });
      require_operands(json, op);
    }
    if (op.kind == OpKind::signal || op.kind == OpKind::wait || op.signals)
      json.at("channel_ids").each([&](const Json& at) { op.channels.push_back(channel_end(at, channel)); });
    if (op.kind == OpKind::sem_acquire || op.kind == OpKind::sem_release)
      json.at("semaphore_ids").each([&](const Json& at) {
        (void)listed(of_.gpu.semaphores, at, "semaphore");
        op.semaphores.push_back(at.number(0, kIdsLimit));
      });
    if (op.kind != OpKind::barrier) return;
    op.barrier = json.at("barrier_id").number(0, kIdsLimit);
    const std::optional<Json> size = json.find("num_threadblocks");
    op.barrier_size = size ? size->number(1, kIdsLimit) : 0;
  }

  void require_operands(const Json& json, const Op& op) const {
    if (op.from.empty() || op.to.empty()) throw json.error("this has no source or no target");
    if (op.kind == OpKind::reduce) {
      require_reduce(json, op);
    } else if (op.from.size() != op.to.size() && op.from.size() != 1) {
      throw json.error(fmt::format("{} sources have {} targets", op.from.size(), op.to.size()));
    }
    for (const ChunkRange& to : op.to) {
      const bool first = op.kind == OpKind::reduce || op.from.size() == 1;
      const ChunkRange& from =
          first ? op.from.front() : op.from[static_cast<std::size_t>(&to - op.to.data())];
      if (to.size != from.size)
        throw json.error(fmt::format("{} chunks go to {} chunks", from.size, to.size));
      if (to.rank != of_.rank && from.rank != of_.rank)
        throw unsupported(json, op.name + " from another rank to another rank");
    }
  }

  void require_reduce(const Json& json, const Op& op) const {
    const auto differs = [&](const ChunkRange& one) { return one.size != op.from.front().size; };
    if (std::ranges::any_of(op.from, differs)) throw json.error("the sources have different sizes");
    if (op.from.front().rank != of_.rank || op.to.front().rank != of_.rank)
      throw unsupported(json, op.name + " whose first source or target is another rank's");
  }

  void require_sum(const Json& json, std::string_view name) const {
    const std::optional<Json> sums = json.find("reduce_op");
    if (sums && sums->string() != "sum")
      throw unsupported(json, fmt::format("{} with {}", name, msccl::shown(sums->string())));
  }

  [[nodiscard]] ChunkRange range(const Json& op, const Json& at, ChannelType channel) const {
    require_known_keys(at, JsonKind::chunks);
    ChunkRange found{.rank = of_.rank,
                     .index = at.at("index").number(0, kChunksLimit),
                     .size = at.at("size").number(1, kChunksLimit)};
    if (const std::optional<Json> id = at.find("buffer_id")) {
      const auto ids = of_.named.buffers.find(channel);
      if (ids == of_.named.buffers.end()) throw id->error("the thread block lists no such remote buffer");
      const auto buffer = static_cast<std::size_t>(listed(ids->second, *id, "remote buffer"));
      if (buffer >= of_.remote.buffers.size())
        throw id->error(fmt::format("rank {} has no remote buffer {}", of_.rank, buffer));
      found.rank = of_.remote.buffers[buffer].rank;
      found.buffer = of_.remote.buffers[buffer].type;
    } else {
      found.buffer = buffer_named(at.at("type"));
    }
    add_part(op, found);
    return found;
  }

  void add_part(const Json& op, ChunkRange& range) const {
    const std::optional<Json> group = op.find("tbg_info");
    if (!group) return;
    require_known_keys(*group, JsonKind::group);
    range.parts = group->at("tbg_size").number(1, kPartsLimit);
    range.part = group->at("tb_id").number(0, range.parts - 1);
    parts_ = std::lcm(parts_, range.parts);
    if (parts_ > kPartsLimit)
      throw group->error(
          fmt::format("the groups of thread blocks divide a chunk by more than {}", kPartsLimit));
  }

  [[nodiscard]] ChannelEnd channel_end(const Json& at, ChannelType type) const {
    const auto ids = of_.named.channels.find(type);
    if (ids == of_.named.channels.end()) throw at.error("the thread block lists no channel of this type");
    const auto number = static_cast<std::size_t>(listed(ids->second, at, "channel"));
    const auto ends = of_.remote.channels.find(type);
    if (ends == of_.remote.channels.end() || number >= ends->second.size())
      throw at.error(fmt::format("rank {} has no channel {} of this type", of_.rank, number));
    return ends->second[number];
  }

  const OpsOf& of_;
  int& parts_;
};

}  // namespace

ChannelType type_of_channel(const Json& at) {
  const std::string_view name = at.string();
  for (const auto& [known, type] : kChannelTypes) {
    if (known == name) return type;
  }
  throw at.error(
      fmt::format("there is no channel type '{}'; expected memory, port or switch", msccl::shown(name)));
}

PlanBuffer buffer_named(const Json& at) {
  const std::string_view letter = at.string();
  const std::size_t which = letter.size() == 1 ? kPlanBuffers.find(letter) : std::string_view::npos;
  if (which == std::string_view::npos)
    throw at.error(fmt::format("there is no buffer '{}'; expected i, o or s", msccl::shown(letter)));
  return static_cast<PlanBuffer>(which);
}

std::vector<Op> read_ops(const Json& ops, const OpsOf& of, int& parts) {
  std::vector<Op> all;
  OpReader{of, parts}.read(ops, all);
  return all;
}

}  // namespace kbsim::inputs::mscclpp
