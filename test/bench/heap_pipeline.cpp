#include "heap_pipeline.hpp"

namespace kbsim::bench {

HeapPipeline::HeapPipeline(HeapEngine& engine, std::size_t stages, std::int64_t service, std::int64_t items)
    : engine_{engine}, service_{service}, left_{items}, stages_(stages, Stage{.pipeline = this}) {
  for (std::size_t i = 1; i < stages; ++i) {
    stages_[i].before = &stages_[i - 1];
    stages_[i - 1].after = &stages_[i];
  }
}

void HeapPipeline::start() {
  Stage& first = stages_.front();
  while (left_ > 0 && !first.full()) first.push(left_--);
  begin(first);
}

void HeapPipeline::begin(Stage& stage) {
  if (stage.busy || stage.head == stage.tail) return;
  stage.item = stage.pop();
  stage.busy = true;
  engine_.at(engine_.now() + service_, &done, &stage);
  if (stage.before == nullptr) {
    if (left_ > 0) stage.push(left_--);
  } else if (stage.before->blocked) {
    stage.before->blocked = false;
    pass_on(*stage.before);
  }
}

void HeapPipeline::done(void* argument) {
  auto& stage = *static_cast<Stage*>(argument);
  if (stage.after != nullptr && stage.after->full()) {
    stage.blocked = true;
  } else {
    stage.pipeline->pass_on(stage);
  }
}

void HeapPipeline::pass_on(Stage& stage) {
  stage.busy = false;
  if (stage.after == nullptr) {
    ++delivered_;
  } else {
    stage.after->push(stage.item);
    begin(*stage.after);
  }
  begin(stage);
}

}  // namespace kbsim::bench
