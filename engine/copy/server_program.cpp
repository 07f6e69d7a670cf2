#include "engine/copy/server_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/sqlstate.h"

namespace indigo::engine {

namespace {

constexpr int kNotExecutable = 126, kNotFound = 127;  // exit codes of the shell

}  // namespace

std::optional<ServerProgram> ServerProgram::start(const std::string& command, bool reads, int& pipe) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const int ours = ends[reads ? 0 : 1], theirs = ends[reads ? 1 : 0];
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  if (reads) posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, theirs, reads ? STDOUT_FILENO : STDIN_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh", option = "-c", text = command;
  const std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
  ServerProgram program;
  int failure = posix_spawn(&program.pid_, "/bin/sh", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  ::close(theirs);
  if (failure == 0) {
    program.end_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, program.pid_, 0));
    if (program.end_descriptor_ < 0) {
      failure = errno;
      program.kill();
      program.reap();
    }
  }
  if (failure != 0) {
    ::close(ours);
    errno = failure;
    return std::nullopt;
  }
  fcntl(ours, F_SETFL, O_NONBLOCK);
  pipe = ours;
  return program;
}

void ServerProgram::kill() const {
  if (!reaped_) ::kill(-pid_, SIGKILL);
}

void ServerProgram::reap() {
  if (reaped_) return;
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  if (end_descriptor_ >= 0) ::close(end_descriptor_);
  end_descriptor_ = -1;
}

Status ServerProgram::outcome(const std::string& command) const {
  if (status_ == 0) return {};
  std::string why;
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    why = "child process was terminated by signal " + std::to_string(signal) + ": " + sigdescr_np(signal);
  } else if (const int code = WEXITSTATUS(status_); code == kNotFound) {
    why = "command not found";
  } else if (code == kNotExecutable) {
    why = "command not executable";
  } else {
    why = "child process exited with exit code " + std::to_string(code);
  }
  return Error(SqlState("38000"), "program \"" + command + "\" failed").with_detail(std::move(why));
}

}  // namespace indigo::engine
