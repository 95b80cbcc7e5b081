#include "communication_names.hpp"

#include <array>
#include <string>

#include "../cells.hpp"

namespace kbsim::inputs::chakra {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

bool is_note_of_call(std::string_view node) { return has(node, "record_param_comms"); }

bool is_communication_kernel(std::string_view node) {
  const std::string name = lower(node);
  return has(name, "nccldevkernel") || has(name, "ncclkernel") || has(name, "rcclgenerickernel") ||
         has(name, "rccldevkernel");
}

const Form* form_of_kernel(std::string_view node) {
  constexpr auto kCollectives =
      std::to_array<std::string_view>({"AllReduce", "AllGather", "ReduceScatter", "Broadcast", "AllToAll"});
  const std::string name = lower(node);
  for (const std::string_view collective : kCollectives) {
    if (has(name, lower(collective))) return form_named(collective);
  }
  return has(name, "_reduce_") || name.ends_with("_reduce") ? form_named("reduce") : nullptr;
}

bool is_nccl_call(std::string_view node) { return node.starts_with("nccl:"); }

}  // namespace kbsim::inputs::chakra
