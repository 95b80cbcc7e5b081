// Rings: reduce-scatter and all-gather, from which most collectives are made.
#include "kbsim/kernels/ring.hpp"

#include <algorithm>

namespace kbsim::collective {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What both have in common: everybody sends a chunk to the next, and in each of size - 1 steps receives
/// one from the one before, does something with it and, but in the last step, sends that on.
class Pass {
 public:
  Pass(TL& tl, const std::vector<Way>& ways, Manner manner, int first)
      : tl_{tl}, ways_{ways}, manner_{manner}, first_{first}, held_(ways.size()) {
    for (const Way& way : ways) {
      steps_ = std::max(steps_, way.ring.size - 1);
      for (const Messages& chunk : way.chunks) turns_ = std::max(turns_, chunk.size());
    }
  }
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  Task<> run();

 protected:
  // The next message of the first chunk.
  virtual Task<Tile> opened(std::size_t way, Part message) = 0;
  // A message comes; what becomes of it goes on, unless this is the last step.
  virtual Task<Tile> arrived(std::size_t way, Part message, Pending<Tile>* arriving, bool last) = 0;
  // What the step before had to do with memory is done.
  virtual Task<> settled() = 0;

  TL& tl_;
  const std::vector<Way>& ways_;
  const Manner manner_;

 private:
  [[nodiscard]] const Messages* chunk(std::size_t way, int step) const;
  void send(std::size_t way, const Tile& tile) {
    sent_.add(tl_.send({.dir = ways_[way].ring.next, .src = tile}));
  }
  Task<> open(std::size_t way, std::size_t turn);
  Task<> take(std::size_t way, std::size_t turn, int step);
  void send_held();
  Task<> end_step();

  const int first_;  // the chunk that is sent first is that of the position so far before
  int steps_ = 0;
  std::size_t turns_ = 0;
  std::vector<Tiles> held_;  // by way, until the step ends
  Begun sent_;
};

Task<> Pass::run() {
  for (std::size_t turn = 0; turn < turns_; ++turn) {
    for (std::size_t way = 0; way < ways_.size(); ++way) co_await open(way, turn);
  }
  co_await end_step();
  for (int step = 1; step <= steps_; ++step) {
    for (std::size_t turn = 0; turn < turns_; ++turn) {
      for (std::size_t way = 0; way < ways_.size(); ++way) co_await take(way, turn, step);
    }
    send_held();
    co_await end_step();
  }
  co_await sent_.done();
}

// Nobody has more than what two steps sent: who waits here waits for what the next one takes in this step.
Task<> Pass::end_step() {
  co_await sent_.step();
  co_await settled();
}

// What a way has to do with in a step; nullptr if it is done.
const Messages* Pass::chunk(std::size_t way, int step) const {
  const Ring& ring = ways_[way].ring;
  return step < ring.size ? &ways_[way].chunks[at(ring.before(first_ + step))] : nullptr;
}

Task<> Pass::open(std::size_t way, std::size_t turn) {
  const Messages& first = *chunk(way, 0);
  if (turn >= first.size()) co_return;
  const Tile tile = co_await opened(way, first[turn]);
  if (ways_[way].ring.size > 1) send(way, tile);
}

Task<> Pass::take(std::size_t way, std::size_t turn, int step) {
  const Messages* messages = chunk(way, step);
  if (messages == nullptr || turn >= messages->size()) co_return;
  const Ring& ring = ways_[way].ring;
  const Part message = (*messages)[turn];
  Pending<Tile> arriving = tl_.recv({.dir = ring.back, .shape = {message.size}, .dtype = manner_.dtype});
  const bool last = step == ring.size - 1;
  const Tile tile = co_await arrived(way, message, &arriving, last);
  if (last) co_return;
  if (manner_.pace == Pace::stream) {
    send(way, tile);
  } else {
    held_[way].push_back(tile);
  }
}

void Pass::send_held() {
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    for (const Tile& tile : held_[way]) send(way, tile);
    held_[way].clear();
  }
}

class ReduceScatter : public Pass {
 public:
  ReduceScatter(TL& tl, const std::vector<Way>& ways, std::vector<Source>& mine, Manner manner)
      : Pass{tl, ways, manner, 1}, mine_{mine}, result_(ways.size()) {}

  [[nodiscard]] std::vector<Tiles> result() { return std::move(result_); }

 private:
  Task<Tile> opened(std::size_t way, Part) override {
    const Tile own = co_await mine_[way].next();
    if (ways_[way].ring.size == 1) result_[way].push_back(own);
    co_return own;
  }
  Task<Tile> arrived(std::size_t way, Part, Pending<Tile>* arriving, bool last) override {
    const Tile own = co_await mine_[way].next();
    const Tile got = co_await *arriving;
    const Tile sum = combine(tl_, manner_.op, got, own);
    if (last) result_[way].push_back(sum);
    co_return sum;
  }
  Task<> settled() override { co_return; }

  std::vector<Source>& mine_;
  std::vector<Tiles> result_;
};

class AllGather : public Pass {
 public:
  AllGather(TL& tl, const std::vector<Way>& ways, std::vector<Tiles> mine, std::vector<Sink>& to,
            Manner manner)
      : Pass{tl, ways, manner, 0}, to_{to} {
    for (Tiles& tiles : mine) mine_.emplace_back(tiles.begin(), tiles.end());
  }

 private:
  Task<Tile> opened(std::size_t way, Part message) override {
    const Tile own = mine_[way].front();
    mine_[way].pop_front();
    to_[way].put(message, own);
    co_return own;
  }
  Task<Tile> arrived(std::size_t way, Part message, Pending<Tile>* arriving, bool last) override {
    Tile got = co_await *arriving;
    if (to_[way].keeps() || (!last && !may_wait_in_slots(way))) got = got.to(got.dtype());
    to_[way].put(message, got);
    co_return got;
  }
  Task<> settled() override {
    for (Sink& sink : to_) co_await sink.step();
  }
  // In a ring whose queues all fill up with tiles that wait for room in the next, nobody goes on. There is
  // always room as long as everybody has fewer messages under way than a queue has slots.
  [[nodiscard]] bool may_wait_in_slots(std::size_t way) const {
    const auto fits = [&](const Messages& chunk) {
      return static_cast<std::int64_t>(chunk.size()) <= manner_.free_slots;
    };
    return std::ranges::all_of(ways_[way].chunks, fits);
  }

  std::vector<Sink>& to_;
  std::vector<std::deque<Tile>> mine_;
};

}  // namespace

Ring ring_of(const CollectiveArgs& args) {
  return {.position = args.place_of(args.rank), .size = args.world_size};
}

Ring ring_back(const CollectiveArgs& args) {
  const int last = args.world_size - 1;
  return {
      .position = last - args.place_of(args.rank), .size = args.world_size, .next = Dir::W, .back = Dir::E};
}

Manner manner_of(const CollectiveArgs& args, Pace pace) {
  return {.dtype = args.data.dtype, .op = args.op, .pace = pace, .free_slots = args.free_slots};
}

Messages Way::order() const {
  Messages all;
  for (int steps = 1; steps <= ring.size; ++steps) {
    const Messages& chunk = chunks[at(ring.before(steps))];
    all.insert(all.end(), chunk.begin(), chunk.end());
  }
  return all;
}

Way way_of(Ring ring, Part whole, const Room& room) {
  Way way{.ring = ring, .chunks = {}};
  for (int i = 0; i < ring.size; ++i) {
    way.chunks.push_back(cut(part_of(whole, i, ring.size), room.message));
  }
  return way;
}

Task<std::vector<Tiles>> reduce_scatter(TL& tl, const std::vector<Way>* ways, std::vector<Source>* mine,
                                        Manner manner) {
  ReduceScatter pass{tl, *ways, *mine, manner};
  co_await pass.run();
  co_return pass.result();
}

Task<> all_gather(TL& tl, const std::vector<Way>* ways, std::vector<Tiles> mine, std::vector<Sink>* to,
                  Manner manner) {
  AllGather pass{tl, *ways, std::move(mine), *to, manner};
  co_await pass.run();
  for (Sink& sink : *to) co_await sink.done();
}

Task<> all_reduce(TL& tl, std::vector<Ring> rings, CollectiveArgs args, Pace pace) {
  const int size = rings.front().size;
  if (size == 1) co_return;
  const Ptr mine = own_data(tl, args);
  const Manner manner = manner_of(args, pace);
  const auto count = static_cast<int>(rings.size());
  const Room room = room_of(args, count);
  // Two chunks of each window are held at once.
  for (const Part& window : cut({.first = 0, .size = args.n_elem}, room.window(2, size))) {
    std::vector<Way> ways;
    std::vector<Source> sources;
    std::vector<Sink> sinks;
    for (std::size_t i = 0; i < rings.size(); ++i) {
      ways.push_back(way_of(rings[i], part_of(window, static_cast<int>(i), count), room));
      sources.emplace_back(tl, mine, ways.back().order(), room);
      sinks.emplace_back(tl, mine);
    }
    std::vector<Tiles> sums = co_await reduce_scatter(tl, &ways, &sources, manner);
    for (Tiles& tiles : sums) {
      for (Tile& sum : tiles) sum = finish(args.op, sum, size);
    }
    co_await all_gather(tl, &ways, std::move(sums), &sinks, manner);
  }
}

Task<Tiles> exchange(TL& tl, Ring ring, Tiles mine, Manner manner) {
  std::vector<Tiles> parts(at(ring.size));
  parts[at(ring.position)] = mine;
  for (int round = 1; round < ring.size; ++round) {
    Begun sent;
    for (const Tile& tile : parts[at(ring.before(round - 1))])
      sent.add(tl.send({.dir = ring.next, .src = tile}));
    for (const Tile& like : mine) {
      const Tile got = co_await tl.recv({.dir = ring.back, .shape = like.shape(), .dtype = manner.dtype});
      parts[at(ring.before(round))].push_back(got.to(manner.dtype));  // out of its slot
    }
    co_await sent.done();
  }
  Tiles sums = std::move(parts[0]);
  for (std::size_t other = 1; other < parts.size(); ++other) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = combine(tl, manner.op, sums[i], parts[other][i]);
  }
  co_return sums;
}

}  // namespace kbsim::collective
