#include "kbsim/report/orders.hpp"

#include <fmt/format.h>

#include "kbsim/report/csv.hpp"

namespace kbsim::report {
namespace {

std::string target_pe(const hw::OrderRecord& order, int pes_per_cube) {
  if (order.first_pe < 0) return "";
  if (order.pes == order.cubes * pes_per_cube) return "all";
  if (order.first_pe == order.last_pe) return std::to_string(order.first_pe);
  return fmt::format("{}-{}", order.first_pe, order.last_pe);
}

}  // namespace

std::string orders_csv(const std::vector<hw::OrderRecord>& orders, int pes_per_cube) {
  std::string text = "phase,name,rank,sip,cubes,target_pe,start_ns,total_ns,kernel_ns,network_ns\n";
  for (const hw::OrderRecord& order : orders)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", order.phase_name(), csv_cell(order.kernel_name),
                        order.rank, order.sip, order.cubes, target_pe(order, pes_per_cube), to_ns(order.sent),
                        to_ns(order.total()), to_ns(order.kernel()), to_ns(order.network()));
  return text;
}

}  // namespace kbsim::report
