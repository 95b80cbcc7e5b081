// MSCCL++'s JSON to a program.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/plan.hpp"

#include "../msccl/collective_names.hpp"
#include "../msccl/shown.hpp"
#include "mscclpp_keys.hpp"
#include "op_reader.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

constexpr int kRanksLimit = 256;

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
    require_known_keys(plan_, JsonKind::plan);
    const std::optional<Json> name = plan_.find("name");
    const std::optional<Json> protocol = plan_.find("protocol");
    program_.name = name ? msccl::shown(name->string()) : "unnamed";
    program_.protocol = protocol ? msccl::shown(protocol->string()) : "Simple";
    const Json collective = plan_.at("collective");
    program_.custom = msccl::is_custom(collective.string());
    const auto known =
        program_.custom ? config::Collective::sendrecv : msccl::collective_named(collective.string());
    if (!known) throw collective.error(msccl::unknown_collective(collective.string()));
    program_.collective = *known;
    program_.in_place = plan_.find("inplace") && plan_.at("inplace").boolean();
    program_.chunks = most_chunks(*first);
    if (program_.custom)
      gpus.each([&](const Json& gpu) { program_.chunks = std::max(program_.chunks, most_chunks(gpu)); });
    if (program_.chunks == 0) throw first->error("this has neither input_chunks nor output_chunks");
    if (msccl::has_shares(program_.collective) && program_.chunks % ranks_ != 0)
      throw first->error(fmt::format("{} chunks aren't divisible by {} ranks, as {} needs", program_.chunks,
                                     ranks_, to_string(program_.collective)));
  }

  static int most_chunks(const Json& gpu) {
    return std::max(gpu.at("input_chunks").number(0, kChunksLimit),
                    gpu.at("output_chunks").number(0, kChunksLimit));
  }

  // Older versions of MSCCL++ wrote other keys and forms.
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
    require_known_keys(json, JsonKind::gpu);
    Gpu& gpu = program_.gpus.emplace_back();
    gpu.scratch_chunks = json.at("scratch_chunks").number(0, kChunksLimit);
    if (program_.custom) {
      read_custom_chunks(json, gpu);
    } else {
      require_chunks(rank, json);
    }
    if (const std::optional<Json> all = json.find("semaphores"))
      all->each([&](const Json& one) {
        require_known_keys(one, JsonKind::semaphore);
        gpu.semaphores.push_back(one.at("init_value").number(0, kIdsLimit));
      });
    const Remote remote = remote_of(rank, json);
    json.at("threadblocks").each([&](const Json& block) { read_block(rank, block, remote, gpu); });
    std::ranges::sort(gpu.blocks, {}, &ThreadBlock::id);
    const auto twice = std::ranges::adjacent_find(gpu.blocks, {}, &ThreadBlock::id);
    if (twice != gpu.blocks.end())
      throw InputError{std::next(twice)->place,
                       fmt::format("gpu {} has two thread blocks {}", rank, twice->id)};
  }

  void read_custom_chunks(const Json& json, Gpu& gpu) const {
    gpu.in_chunks = json.at("input_chunks").number(0, kChunksLimit);
    gpu.out_chunks = json.at("output_chunks").number(0, kChunksLimit);
    if (!program_.in_place) return;
    for (const int said : {gpu.in_chunks, gpu.out_chunks}) {
      if (said != 0 && said != program_.chunks)
        throw Unsupported{
            fmt::format("{}: {} of {} chunks of a custom plan in place: where a shorter input or output lies "
                        "in the other "
                        "isn't known",
                        to_string(json.place()), said, program_.chunks)};
    }
  }

  // A buffer that is the other one's has no chunks of its own.
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
    std::map<std::pair<ChannelType, int>, int> counts;
    if (const std::optional<Json> all = gpu.find("channels"))
      all->each([&](const Json& group) {
        const ChannelType type = type_of_channel(group.at("channel_type"));
        const bool to_switch = type == ChannelType::reducing_switch;
        require_known_keys(group, to_switch ? JsonKind::switch_channels : JsonKind::channels);
        if (to_switch) return;
        group.at("connected_to").each([&](const Json& at) {
          const int peer = peer_of(rank, at);
          remote.channels[type].push_back({type, peer, counts[{type, peer}]++});
        });
      });
    if (const std::optional<Json> all = gpu.find("remote_buffers"))
      all->each([&](const Json& one) {
        require_known_keys(one, JsonKind::remote_buffer);
        remote.buffers.push_back({peer_of(rank, one.at("rank")), buffer_named(one.at("type"))});
      });
    return remote;
  }

  void read_block(int rank, const Json& json, const Remote& remote, Gpu& gpu) {
    require_known_keys(json, JsonKind::block);
    ThreadBlock block{.id = json.at("id").number(0, kIdsLimit), .place = json.place()};
    Named named;
    const auto read = [&](const char* list, const char* type, const char* ids, JsonKind kind, auto& to) {
      const std::optional<Json> all = json.find(list);
      if (!all) return;
      all->each([&](const Json& group) {
        require_known_keys(group, kind);
        auto& of_type = to[type_of_channel(group.at(type))];
        group.at(ids).each([&](const Json& at) { of_type.push_back(at.number(0, kIdsLimit)); });
      });
    };
    read("channels", "channel_type", "channel_ids", JsonKind::block_channels, named.channels);
    read("remote_buffer_refs", "access_channel_type", "remote_buffer_ids", JsonKind::block_buffers,
         named.buffers);
    block.ops = read_ops(json.at("ops"),
                         {.rank = rank, .block = block.id, .remote = remote, .named = named, .gpu = gpu},
                         program_.parts);
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
