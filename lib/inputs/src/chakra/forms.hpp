#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/inputs/chakra/workload.hpp"

namespace kbsim::inputs::chakra {

/// A value of comm_type: what the nodes of all ranks do together.
struct Form {
  CommunicationKind kind = CommunicationKind::collective;
  config::Collective collective = config::Collective::all_reduce;
  std::string_view name;
};

/// By Chakra's number; none: nullptr.
[[nodiscard]] const Form* form_numbered(std::int64_t number);
/// By the name that an exporter wrote: ALL_REDUCE, allreduce, AllReduce, nccl:all_reduce, _allgather_base,
/// CollectiveCommType.BROADCAST. None: nullptr.
[[nodiscard]] const Form* form_named(std::string_view name);
/// "comm_type is 'all_redce', ...", with what it may be.
[[nodiscard]] std::string unknown_form(std::string_view name);

}  // namespace kbsim::inputs::chakra
