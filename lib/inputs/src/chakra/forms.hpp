#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/inputs/chakra/workload.hpp"

namespace kbsim::inputs::chakra {

/// A value of comm_type: the common operation of the nodes of all ranks.
struct Form {
  CommunicationKind kind = CommunicationKind::collective;
  config::Collective collective = config::Collective::all_reduce;
  std::string_view name;
};

/// The form with Chakra's number; nullptr if there is none.
[[nodiscard]] const Form* form_numbered(std::int64_t number);
/// The form with an exporter's name: ALL_REDUCE, allreduce, AllReduce, nccl:all_reduce, _allgather_base,
/// CollectiveCommType.BROADCAST. nullptr if there is none.
[[nodiscard]] const Form* form_named(std::string_view name);
/// "comm_type is 'all_redce', ...", with the possible values.
[[nodiscard]] std::string unknown_form(std::string_view name);

}  // namespace kbsim::inputs::chakra
