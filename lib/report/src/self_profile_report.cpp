#include "kbsim/report/self_profile_report.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

namespace kbsim::report {

std::string to_text(const self_profile::Shares& shares) {
  std::string text = fmt::format("  {:<28} {:>7} {:>8} {:>9}\n", "work", "share", "error", "seconds");
  for (const self_profile::Row& row : shares.rows)
    text += fmt::format("  {:<28} {:>5.1f} % {:>6.1f} % {:>9.3f}\n", row.work, 100.0 * row.share,
                        100.0 * row.error, row.share * shares.seconds);
  return text + fmt::format("  {} in {:.3f} s, {:.0f} a second at most, which took {:.2f} % of it\n",
                            counted(shares.samples, "sample"), shares.seconds, 1.0 / shares.interval,
                            100.0 * shares.cost);
}

boost::json::object to_json(const self_profile::Shares& shares) {
  boost::json::array rows;
  for (const self_profile::Row& row : shares.rows)
    rows.push_back({{"work", row.work}, {"share", row.share}, {"error", row.error}});
  return {{"wall_s", shares.seconds},
          {"samples", shares.samples},
          {"cost", shares.cost},
          {"work", std::move(rows)}};
}

}  // namespace kbsim::report
