#pragma once

#include "mscclpp_json.hpp"

namespace kbsim::inputs::mscclpp {

/// Objects of a plan's file.
enum class JsonKind {
  plan,
  gpu,
  channels,
  switch_channels,
  remote_buffer,
  semaphore,
  block,
  block_channels,
  block_buffers,
  op,
  pipeline,
  chunks,
  group,
};

/// InputError for a duplicate key. Unsupported, with the place and the name, for an unknown key of such an
/// object.
void require_known_keys(const Json& object, JsonKind kind);

}  // namespace kbsim::inputs::mscclpp
