#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <sys/types.h>

#include "worker.hpp"

namespace kbsim::sweep {

/// A worker's process on this host. Its lines arrive on an io_context, and so does its end, which it reports
/// by hanging up. It ends with this object, and may be started again after its end.
class LocalWorker {
 public:
  struct Listener {
    std::function<void(std::string_view line)> line;
    std::function<void(int status)> end;  // waitpid's; not called for a close()
  };

  explicit LocalWorker(boost::asio::io_context& io) : io_{io} {}
  ~LocalWorker() { close(); }
  LocalWorker(const LocalWorker&) = delete;
  LocalWorker& operator=(const LocalWorker&) = delete;

  /// `others`: descriptors that the new process must not hold.
  void start(const Job& job, const std::filesystem::path& records, const std::vector<int>& others,
             Listener listener);
  /// Ends it in any state.
  void close();
  void kill() const;
  void say(const std::string& line);

  [[nodiscard]] bool lives() const { return connection_ != nullptr; }
  [[nodiscard]] pid_t pid() const { return lives() ? connection_->pid : -1; }
  [[nodiscard]] int socket() const { return connection_->socket.native_handle(); }

 private:
  struct Connection {
    pid_t pid;
    boost::asio::local::stream_protocol::socket socket;
    Listener listener;  // with its process, so that a call of it may start another
    std::string received;
  };

  void listen();
  void hear(Connection& from, std::size_t line);
  void hung_up();
  int end();

  boost::asio::io_context& io_;
  std::shared_ptr<Connection> connection_;  // of the process that lives
};

}  // namespace kbsim::sweep
