// The single table of attributes that change the work in other ways, and of idle ones. Attributes that are
// used are in meaning.cpp.
#include "chakra_attributes.hpp"

#include <algorithm>
#include <array>

namespace kbsim::inputs::chakra {
namespace {

constexpr std::array<std::string_view, 2> kZero{"", "0"};
constexpr std::array<std::string_view, 3> kNoParts{"", "[]", "0"};
constexpr std::array<std::string_view, 3> kFalse{"", "0", "false"};

constexpr std::array<ChangingAttribute, 8> kChanging{
    {{"comm_priority", "a priority of communications", kZero},
     {"tensor_loc", "a memory other than the package's", kZero},
     {"input_tensor_loc", "a memory other than the package's", kZero},
     {"output_tensor_loc", "a memory other than the package's", kZero},
     {"in_split_size", "parts of different sizes", kNoParts},
     {"out_split_size", "parts of different sizes", kNoParts},
     {"in_split_sizes", "parts of different sizes", kNoParts},
     {"is_remote", "a memory other than the package's", kFalse}}};

constexpr auto kIdle = std::to_array<std::string_view>(
    {// identifiers and threads of the profiler
     "rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "pid", "cid", "correlation", "external_id",
     "ev_idx", "stream", "cat", "ph",
     // names
     "op_schema", "op_type", "kernel_backend", "kernel_file", "category", "label", "comment", "doc", "module",
     "phase", "layer_name", "model", "schema", "version",
     // tensors by name and shape; num_ops, tensor_size and comm_size state the amount
     "inputs", "outputs", "input_shapes", "output_shapes", "input_types", "output_types", "input_strides",
     "output_strides", "dtype",
     // the recorded time, which dependencies and durations determine
     "ts", "dur", "start_ts", "finish_ts", "end_ts", "time", "start_time", "end_time", "inclusive_dur",
     "exclusive_dur",
     // facts of a collective that comm_type, comm_size and pg_name state
     "collective_name", "in_msg_nelems", "out_msg_nelems", "pg_desc", "pg_size", "group_size",
     "global_rank_start", "global_rank_stride"});

}  // namespace

const ChangingAttribute* changing_attribute(std::string_view name) {
  const auto found = std::ranges::find(kChanging, name, &ChangingAttribute::name);
  return found == kChanging.end() ? nullptr : &*found;
}

bool is_idle_attribute(std::string_view name) { return std::ranges::find(kIdle, name) != kIdle.end(); }

}  // namespace kbsim::inputs::chakra
