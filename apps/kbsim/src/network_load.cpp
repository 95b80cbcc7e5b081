#include "network_load.hpp"

#include <cstddef>
#include <memory>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"

#include "config_folders.hpp"
#include "size_option.hpp"
#include "whole_option.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kFile = "file:";

constexpr std::size_t kLargestFile = std::size_t{64} << 20U;

std::shared_ptr<const topology::TrafficMatrix> matrix_of(const std::string& file) {
  const std::string named = "--pattern file:" + file;
  const std::string text = read_input(file, named, kLargestFile);
  if (looks_like_json(text)) throw UsageError{named + ": is JSON, expected CSV: a line a source"};
  return std::make_shared<topology::TrafficMatrix>(topology::parse_traffic_matrix(text, file));
}

Bandwidth bandwidth_of(const char* option, double gbs) {
  if (!(gbs >= 0.001 && gbs <= 1e9))
    throw UsageError{fmt::format("--{} {}: expected 0.001 to 1e9 GB/s", option, gbs)};
  return Bandwidth::gbs(gbs);
}

}  // namespace

void NetworkLoad::describe(po::options_description& to) {
  auto add = to.add_options();
  const auto number = [](std::optional<double>& into) {
    return po::value<double>()->notifier([&into](double v) { into = v; });
  };
  add("pattern", po::value(&pattern)->value_name("P"),
      "senders and receivers: uniform (default), transpose, hotspot:P or hotspot:P:NODE, all-to-one or "
      "all-to-one:NODE, neighbour, permutation:SEED, or file:M.csv, a matrix of rates or shares");
  add("to-self", po::value(&to_self)->value_name("T"),
      "targets that are the source itself: random (default: it may draw itself, but sends nothing without "
      "another target), all (it always may send to itself) or none (it draws other nodes only)");
  add("bytes", po::value(&bytes)->value_name("N[,M]"),
      "size of a packet (default 256), e.g. 4KiB, or of packets of two sizes, e.g. 16,80");
  add("mix", number(mix)->value_name("P"),
      "with two sizes: share of packets of the first size (default 0.5)");
  add("outstanding", whole("outstanding", "N", {1, hw::kMostOutstanding}, &outstanding),
      "closed loop, in place of a load: each source keeps N packets in flight");
  add("reply", po::value(&reply)->value_name("SIZE"),
      "closed loop: a packet is in flight until a reply of this size is back (default: until it has "
      "arrived)");
  add("injection-gbs", number(injection_gbs)->value_name("B"),
      "bandwidth of the link from an endpoint to its router (default: the scope's own)");
  add("ejection-gbs", number(ejection_gbs)->value_name("B"),
      "bandwidth of the link from a router to its endpoint (default: the scope's own)");
}

void NetworkLoad::fill(hw::TrafficRequest& request) const {
  const std::size_t comma = bytes.find(',');
  request.packet = size_given("--bytes", bytes.substr(0, comma));
  if (comma != std::string::npos) {
    request.other = size_given("--bytes", bytes.substr(comma + 1));
    if (request.other < 1_B) throw UsageError{fmt::format("--bytes {}: expected at least a byte", bytes)};
    request.mix = mix.value_or(0.5);
  } else if (mix) {
    throw UsageError{fmt::format("--mix {}: has no effect without two sizes, e.g. --bytes 16,80", *mix)};
  }
  if (!outstanding) {
    if (!reply.empty())
      throw UsageError{fmt::format("--reply {}: has no effect without --outstanding", reply)};
    return;
  }
  request.outstanding = static_cast<int>(*outstanding);
  if (reply.empty()) return;
  request.reply = size_given("--reply", reply);
  if (request.reply < 1_B) throw UsageError{fmt::format("--reply {}: expected at least a byte", reply)};
}

topology::TrafficSetup NetworkLoad::setup(const std::string& scope, const hw::TrafficRequest& request) const {
  topology::TrafficSetup setup{
      .scope = scope, .pattern = pattern, .to_self = topology::to_self_named(to_self)};
  if (scope.starts_with(kFile))
    setup.net = std::make_shared<config::Net>(config::load_net(scope.substr(kFile.size()), config_folders()));
  if (has_matrix()) setup.matrix = matrix_of(pattern.substr(kFile.size()));
  if (injection_gbs) setup.endpoints.injection = bandwidth_of("injection-gbs", *injection_gbs);
  if (ejection_gbs) setup.endpoints.ejection = bandwidth_of("ejection-gbs", *ejection_gbs);
  if (request.reply > 0_B && request.mean_bytes() > 0.0)
    setup.reply = static_cast<double>(request.reply.count()) / request.mean_bytes();
  setup.sizes = {{request.packet, request.mix}};
  if (request.other != 0_B) setup.sizes.push_back({request.other, 1.0 - request.mix});
  return setup;
}

std::string NetworkLoad::packets_text(const hw::TrafficRequest& request) const {
  std::string text = "packets of " + to_string(request.packet);
  if (request.other != 0_B)
    text += fmt::format(" ({:g} of them) and {}", request.mix, to_string(request.other));
  if (request.outstanding > 0) text += fmt::format(", {} outstanding a source", request.outstanding);
  if (request.reply != 0_B) text += ", replies of " + to_string(request.reply);
  return text;
}

}  // namespace kbsim::app
