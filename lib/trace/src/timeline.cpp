#include "kbsim/trace/timeline.hpp"

#include <tuple>

namespace kbsim::trace {
namespace {

// A track's sort key: the orders and numbers of all its parents, then its own.
using Rank = std::vector<std::pair<std::int32_t, TrackId>>;

}  // namespace

std::vector<std::uint32_t> places_of(const std::vector<Track>& tracks) {
  std::vector<std::pair<Rank, TrackId>> ranks;
  for (TrackId id = 0; id < tracks.size(); ++id) {
    Rank rank = tracks[id].parent == kNoTrack ? Rank{} : ranks[tracks[id].parent].first;
    rank.emplace_back(tracks[id].order, id);
    ranks.emplace_back(std::move(rank), id);
  }
  std::ranges::sort(ranks);
  std::vector<std::uint32_t> places(tracks.size());
  for (std::uint32_t place = 0; place < places.size(); ++place) places[ranks[place].second] = place;
  return places;
}

std::string path_of(const std::vector<Track>& tracks, TrackId id) {
  const Track& track = tracks[id];
  return track.parent == kNoTrack ? track.name : path_of(tracks, track.parent) + "." + track.name;
}

std::string label_of(const std::vector<Track>& tracks, TrackId id) {
  return tracks[id].says_place ? tracks[id].name : path_of(tracks, id);
}

}  // namespace kbsim::trace
