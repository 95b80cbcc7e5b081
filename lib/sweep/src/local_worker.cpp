#include "local_worker.hpp"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <sys/wait.h>

#include "process_end.hpp"

namespace kbsim::sweep {

namespace asio = boost::asio;
using boost::system::error_code;

void LocalWorker::start(const Job& job, const std::filesystem::path& records, const std::vector<int>& others,
                        Listener listener) {
  io_.notify_fork(asio::execution_context::fork_prepare);
  const Process process = start_worker(job, records, others);
  io_.notify_fork(asio::execution_context::fork_parent);
  connection_ =
      std::make_shared<Connection>(Connection{.pid = process.pid,
                                              .socket = {io_, asio::local::stream_protocol{}, process.socket},
                                              .listener = std::move(listener),
                                              .received = {}});
  listen();
}

void LocalWorker::close() {
  if (lives()) (void)end();
}

void LocalWorker::kill() const {
  if (lives()) kill_process(pid());
}

// A dead worker hangs up soon.
void LocalWorker::say(const std::string& line) {
  const std::string text = line + "\n";
  error_code ignored;
  if (lives()) asio::write(connection_->socket, asio::buffer(text), ignored);
}

void LocalWorker::listen() {
  asio::async_read_until(connection_->socket, asio::dynamic_buffer(connection_->received), '\n',
                         [this, from = connection_](const error_code& error, std::size_t line) {
                           if (from != connection_) return;  // it has been closed
                           if (error) return hung_up();
                           hear(*from, line);
                           if (from == connection_) listen();
                         });
}

void LocalWorker::hear(Connection& from, std::size_t line) {
  const std::string text = from.received.substr(0, line - 1);
  from.received.erase(0, line);
  from.listener.line(text);
}

// A process that closed its socket has nothing left to do.
void LocalWorker::hung_up() {
  const std::shared_ptr<Connection> from = connection_;
  from->listener.end(end());
}

// A process that gets SIGKILL ends at once, so Asio needn't wait for it.
int LocalWorker::end() {
  const std::shared_ptr<Connection> ended = std::exchange(connection_, nullptr);
  int status = 0;
  kill_process(ended->pid);
  (void)waitpid(ended->pid, &status, 0);
  ended->socket.close();
  return status;
}

}  // namespace kbsim::sweep
