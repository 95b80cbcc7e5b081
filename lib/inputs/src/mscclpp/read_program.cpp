// MSCCL++'s JSON to a program.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/ccl/plan.hpp"

#include "../msccl/collective_names.hpp"
#include "../msccl/shown.hpp"
#include "json.hpp"
#include "program.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

constexpr int kRanksLimit = 256;
constexpr int kChunksLimit = 1 << 20;
constexpr int kIdsLimit = 1 << 16;
constexpr int kPartsLimit = 1024;
constexpr std::size_t kNone = SIZE_MAX;

struct OpName {
  std::string_view name;
  OpKind kind;
  std::size_t packets_in = kNone;
  std::size_t packets_out = kNone;
  bool signals = false;
};
constexpr std::array<OpName, 26> kOpNames{{{"nop", OpKind::nothing},
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
                                           {"sem_release", OpKind::sem_release}}};

char type_of_channel(const Json& at) {
  const std::string_view type = at.string();
  if (type == "memory") return 'm';
  if (type == "port") return 'p';
  if (type == "switch" || type == "none") return type[0];
  throw at.error(
      fmt::format("there is no channel type '{}'; expected memory, port or switch", msccl::shown(type)));
}

PlanBuffer buffer_named(const Json& at) {
  const std::string_view letter = at.string();
  const std::size_t which = letter.size() == 1 ? kPlanBuffers.find(letter) : std::string_view::npos;
  if (which == std::string_view::npos)
    throw at.error(fmt::format("there is no buffer '{}'; expected i, o or s", msccl::shown(letter)));
  return static_cast<PlanBuffer>(which);
}

/// Buffers of other ranks, and channels to them, as a gpu lists them.
struct Remote {
  struct Buffer {
    int rank = 0;
    PlanBuffer type = PlanBuffer::input;
  };
  std::vector<Buffer> buffers;
  std::map<char, std::vector<ChannelEnd>> channels;
};

/// Those that a thread block names by numbers of its own.
struct Named {
  std::map<char, std::vector<int>> channels;
  std::map<char, std::vector<int>> buffers;
};

/// The ith of a list that the file's text at `at` asks for.
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
  OpReader(int rank, int block, const Remote& remote, const Named& named, const Gpu& gpu, int& parts)
      : rank_{rank}, block_{block}, remote_{remote}, named_{named}, gpu_{gpu}, parts_{parts} {}

  // A pipeline's operations run once for each piece of the chunks, as those beside it do.
  void read(const Json& ops, std::vector<Op>& out, bool in_pipeline = false) const {
    ops.each([&](const Json& op) {
      const std::string_view name = op.at("name").string();
      if (name != "pipeline") {
        out.push_back(op_of(op, name));
      } else if (in_pipeline) {
        throw unsupported(op, "pipeline in a pipeline");
      } else {
        read(op.at("ops"), out, true);
      }
    });
  }

 private:
  [[nodiscard]] Unsupported unsupported(const Json& op, std::string_view what) const {
    return Unsupported{fmt::format("{}: '{}' (rank {}, thread block {}) isn't run", to_string(op.place()),
                                   what, rank_, block_)};
  }

  [[nodiscard]] Op op_of(const Json& json, std::string_view name) const {
    const char channel = json.find("channel_type") ? type_of_channel(json.at("channel_type")) : 'm';
    constexpr std::array<std::string_view, 3> kSwitch{"glres", "gstore", "glre"};
    if (channel == 's' || std::ranges::find(kSwitch, name) != kSwitch.end())
      throw Unsupported{fmt::format("{}: '{}' (rank {}, thread block {}) needs a switch that reduces",
                                    to_string(json.place()), msccl::shown(name), rank_, block_)};
    const auto known = std::ranges::find(kOpNames, name, &OpName::name);
    if (known == kOpNames.end()) throw unknown(json.at("name"), name);
    Op op{.kind = known->kind,
          .signals = known->signals,
          .packets_in = known->packets_in,
          .packets_out = known->packets_out,
          .name = std::string{name},
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

  void read_operands(const Json& json, char channel, Op& op) const {
    if (op.kind == OpKind::move || op.kind == OpKind::reduce) {
      json.at("src_buff").each([&](const Json& at) { op.from.push_back(range(json, at, channel)); });
      json.at("dst_buff").each([&](const Json& at) { op.to.push_back(range(json, at, channel)); });
      require_operands(json, op);
    }
    if (op.kind == OpKind::signal || op.kind == OpKind::wait || op.signals)
      json.at("channel_ids").each([&](const Json& at) { op.channels.push_back(channel_end(at, channel)); });
    if (op.kind == OpKind::sem_acquire || op.kind == OpKind::sem_release)
      json.at("semaphore_ids").each([&](const Json& at) {
        (void)listed(gpu_.semaphores, at, "semaphore");
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
      if (to.rank != rank_ && from.rank != rank_)
        throw unsupported(json, op.name + " from another rank to another rank");
    }
  }

  void require_reduce(const Json& json, const Op& op) const {
    const auto differs = [&](const ChunkRange& one) { return one.size != op.from.front().size; };
    if (std::ranges::any_of(op.from, differs)) throw json.error("the sources have different sizes");
    if (op.from.front().rank != rank_ || op.to.front().rank != rank_)
      throw unsupported(json, op.name + " whose first source or target is another rank's");
    const std::optional<Json> sums = json.find("reduce_op");
    if (sums && sums->string() != "sum")
      throw unsupported(json, fmt::format("{} with {}", op.name, msccl::shown(sums->string())));
  }

  [[nodiscard]] ChunkRange range(const Json& op, const Json& at, char channel) const {
    ChunkRange found{.rank = rank_,
                     .index = at.at("index").number(0, kChunksLimit),
                     .size = at.at("size").number(1, kChunksLimit)};
    if (const std::optional<Json> id = at.find("buffer_id")) {
      const auto ids = named_.buffers.find(channel);
      if (ids == named_.buffers.end()) throw id->error("the thread block lists no such remote buffer");
      const auto buffer = static_cast<std::size_t>(listed(ids->second, *id, "remote buffer"));
      if (buffer >= remote_.buffers.size())
        throw id->error(fmt::format("rank {} has no remote buffer {}", rank_, buffer));
      found.rank = remote_.buffers[buffer].rank;
      found.buffer = remote_.buffers[buffer].type;
    } else {
      found.buffer = buffer_named(at.at("type"));
    }
    add_part(op, found);
    return found;
  }

  void add_part(const Json& op, ChunkRange& range) const {
    const std::optional<Json> group = op.find("tbg_info");
    if (!group) return;
    range.parts = group->at("tbg_size").number(1, kPartsLimit);
    range.part = group->at("tb_id").number(0, range.parts - 1);
    parts_ = std::lcm(parts_, range.parts);
    if (parts_ > kPartsLimit)
      throw group->error(
          fmt::format("the groups of thread blocks divide a chunk by more than {}", kPartsLimit));
  }

  [[nodiscard]] ChannelEnd channel_end(const Json& at, char type) const {
    const auto ids = named_.channels.find(type);
    if (ids == named_.channels.end()) throw at.error("the thread block lists no channel of this type");
    const auto number = static_cast<std::size_t>(listed(ids->second, at, "channel"));
    const auto ends = remote_.channels.find(type);
    if (ends == remote_.channels.end() || number >= ends->second.size())
      throw at.error(fmt::format("rank {} has no channel {} of this type", rank_, number));
    return ends->second[number];
  }

  int rank_;
  int block_;
  const Remote& remote_;
  const Named& named_;
  const Gpu& gpu_;
  int& parts_;
};

/// Reads a file's values in their order.
class ProgramReader {
 public:
  explicit ProgramReader(const Json& plan) : plan_{plan} {}

  Program read() {
    program_.place = plan_.place();
    read_head();
    std::vector<std::optional<Json>> gpus(static_cast<std::size_t>(ranks_));
    plan_.at("gpus").each([&](const Json& gpu) {
      const Json id = gpu.at("id");
      std::optional<Json>& place = gpus[static_cast<std::size_t>(id.number(0, ranks_ - 1))];
      if (place) throw id.error(fmt::format("there are two gpus {}", id.number(0, ranks_)));
      place = gpu;
    });
    for (int rank = 0; rank < ranks_; ++rank) read_gpu(rank, *gpus[static_cast<std::size_t>(rank)]);
    return std::move(program_);
  }

 private:
  void read_head() {
    const Json gpus = plan_.at("gpus");
    std::optional<Json> first;
    gpus.each([&](const Json& gpu) {
      if (!first) first = gpu;
      ++ranks_;
    });
    if (ranks_ < 1 || ranks_ > kRanksLimit)
      throw gpus.error(fmt::format("a plan has 1 to {} gpus, got {}", kRanksLimit, ranks_));
    require_newer(*first);
    const std::optional<Json> name = plan_.find("name");
    const std::optional<Json> protocol = plan_.find("protocol");
    program_.name = name ? msccl::shown(name->string()) : "unnamed";
    program_.protocol = protocol ? msccl::shown(protocol->string()) : "Simple";
    const Json collective = plan_.at("collective");
    const auto known = msccl::collective_named(collective.string());
    if (!known) throw collective.error(msccl::unknown_collective(collective.string(), collective.place()));
    program_.collective = *known;
    program_.in_place = plan_.find("inplace") && plan_.at("inplace").boolean();
    program_.chunks = std::max(first->at("input_chunks").number(0, kChunksLimit),
                               first->at("output_chunks").number(0, kChunksLimit));
    if (program_.chunks == 0) throw first->error("this has neither input_chunks nor output_chunks");
    if (msccl::has_shares(program_.collective) && program_.chunks % ranks_ != 0)
      throw first->error(fmt::format("{} chunks aren't divisible by {} ranks, as {} needs", program_.chunks,
                                     ranks_, to_string(program_.collective)));
  }

  // Older versions of MSCCL++ wrote other keys, of other shapes.
  static void require_newer(const Json& gpu) {
    for (const char* old : {"inputChunks", "chunkGroups"}) {
      if (const std::optional<Json> found = gpu.find(old))
        throw Unsupported{
            fmt::format("{}: a plan of the older form of MSCCL++ ({}) isn't read; the newer one has "
                        "input_chunks, src_buff and dst_buff",
                        to_string(found->place()), old)};
    }
  }

  void read_gpu(int rank, const Json& json) {
    Gpu& gpu = program_.gpus.emplace_back();
    gpu.scratch_chunks = json.at("scratch_chunks").number(0, kChunksLimit);
    require_chunks(rank, json);
    if (const std::optional<Json> all = json.find("semaphores"))
      all->each(
          [&](const Json& one) { gpu.semaphores.push_back(one.at("init_value").number(0, kIdsLimit)); });
    const Remote remote = remote_of(rank, json);
    json.at("threadblocks").each([&](const Json& block) { read_block(rank, block, remote, gpu); });
    std::ranges::sort(gpu.blocks, {}, &ThreadBlock::id);
    const auto twice = std::ranges::adjacent_find(gpu.blocks, {}, &ThreadBlock::id);
    if (twice != gpu.blocks.end())
      throw InputError{std::next(twice)->place,
                       fmt::format("gpu {} has two thread blocks {}", rank, twice->id)};
  }

  // None are said of a buffer that is the other one's.
  void require_chunks(int rank, const Json& gpu) const {
    const ccl::Plan like{.collective = program_.collective,
                         .chunks = program_.chunks,
                         .scratch_chunks = std::vector<int>(static_cast<std::size_t>(ranks_)),
                         .blocks = std::vector<std::vector<PlanBlock>>(static_cast<std::size_t>(ranks_))};
    for (const auto& [key, buffer] :
         {std::pair{"input_chunks", PlanBuffer::input}, std::pair{"output_chunks", PlanBuffer::output}}) {
      const int said = gpu.at(key).number(0, kChunksLimit);
      const int wanted = like.chunks_of(buffer, rank);
      if (said != 0 && said != wanted)
        throw gpu.at(key).error(
            fmt::format("{} must be {} by gpu 0 and the collective, got {}", key, wanted, said));
    }
  }

  [[nodiscard]] int peer_of(int rank, const Json& at) const {
    const int peer = at.number(0, ranks_ - 1);
    if (peer == rank) throw at.error(fmt::format("rank {} is this one", peer));
    return peer;
  }

  [[nodiscard]] Remote remote_of(int rank, const Json& gpu) const {
    Remote remote;
    std::map<std::pair<char, int>, int> counts;
    if (const std::optional<Json> all = gpu.find("channels"))
      all->each([&](const Json& group) {
        const char type = type_of_channel(group.at("channel_type"));
        if (type == 's') return;
        group.at("connected_to").each([&](const Json& at) {
          const int peer = peer_of(rank, at);
          remote.channels[type].push_back({type, peer, counts[{type, peer}]++});
        });
      });
    if (const std::optional<Json> all = gpu.find("remote_buffers"))
      all->each([&](const Json& one) {
        remote.buffers.push_back({peer_of(rank, one.at("rank")), buffer_named(one.at("type"))});
      });
    return remote;
  }

  void read_block(int rank, const Json& json, const Remote& remote, Gpu& gpu) {
    ThreadBlock block{.id = json.at("id").number(0, kIdsLimit), .place = json.place()};
    Named named;
    const auto read = [&](const char* list, const char* type, const char* ids, auto& to) {
      const std::optional<Json> all = json.find(list);
      if (!all) return;
      all->each([&](const Json& group) {
        auto& of_type = to[type_of_channel(group.at(type))];
        group.at(ids).each([&](const Json& at) { of_type.push_back(at.number(0, kIdsLimit)); });
      });
    };
    read("channels", "channel_type", "channel_ids", named.channels);
    read("remote_buffer_refs", "access_channel_type", "remote_buffer_ids", named.buffers);
    OpReader{rank, block.id, remote, named, gpu, program_.parts}.read(json.at("ops"), block.ops);
    gpu.blocks.push_back(std::move(block));
  }

  Json plan_;
  Program program_;
  int ranks_ = 0;
};

}  // namespace

Program read_program(const Text& text) {
  const JsonFile file{text};
  return ProgramReader{Json{file}}.read();
}

}  // namespace kbsim::inputs::mscclpp
