#define _GNU_SOURCE /* pipe2, posix_spawn_file_actions_addclosefrom_np */
#include "harness/launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/launch/processes.h"
#include "harness/launch/strays.h"
#include "validator/rules/text.h"

enum { POLL_MS = 4, READ_BYTES = 16384 };

/* How long a program has to stop what it started; and how seldom all processes are looked through for what holds
 * memory, and at most in which part of the time. */
enum { GRACE_MS = 2000, LOOK_MS = 16, LOOK_PART = 16 };

void rlk_child_result_deinit(rlk_child_result_t* result) {
  free(result->answer);
  *result = (rlk_child_result_t){0};
}

/* --- Pipes -------------------------------------------------------------------------------------------------------- */

typedef enum stream_t { INPUT, ANSWER, OUTPUT, STREAM_COUNT } stream_t;

/* The numbers that the child's ends are moved to are below. */
enum { FD_FREE = RLK_CHILD_FILE_FD + 1 };

typedef struct pipes_t {
  int ours[STREAM_COUNT], theirs[STREAM_COUNT];
} pipes_t;

static void close_fd(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void close_all(pipes_t* pipes) {
  for (int i = 0; i < STREAM_COUNT; ++i) {
    close_fd(&pipes->ours[i]);
    close_fd(&pipes->theirs[i]);
  }
}

/* Any process can open the other side of a pipe that it holds, and read what others wrote there. Of a socket it cannot:
 * an answer that is under way is not seen. */
static bool open_one_way(int ends[2], bool socket) {
  if (!socket) return pipe2(ends, O_CLOEXEC) == 0;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  return shutdown(ends[0], SHUT_WR) == 0 && shutdown(ends[1], SHUT_RD) == 0;
}

/* Every end is closed on exec, so that no child started at the same time holds it; ours do not block. */
static bool open_pipes(pipes_t* pipes) {
  for (int i = 0; i < STREAM_COUNT; ++i) pipes->ours[i] = pipes->theirs[i] = -1;
  for (int i = 0; i < STREAM_COUNT; ++i) {
    int ends[2] = {-1, -1};
    const bool reads = i != INPUT, opened = open_one_way(ends, i == ANSWER);
    pipes->ours[i] = ends[reads ? 0 : 1];
    pipes->theirs[i] = ends[reads ? 1 : 0];
    if (!opened || fcntl(pipes->ours[i], F_SETFL, O_NONBLOCK) != 0) return false;
    /* Above the numbers that the child's ends are moved to, so that none is overwritten on the way. */
    const int moved = fcntl(pipes->theirs[i], F_DUPFD_CLOEXEC, FD_FREE);
    if (moved < 0) return false;
    close(pipes->theirs[i]);
    pipes->theirs[i] = moved;
  }
  return true;
}

/* --- Starting ----------------------------------------------------------------------------------------------------- */

/* `file` is above the numbers that it is moved to, or -1. */
static int spawn(const pipes_t* pipes, int file, const char* const* arguments, char** environment, pid_t* out_pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  const struct {
    int from, to;
  } moves[] = {{pipes->theirs[INPUT], STDIN_FILENO},
               {pipes->theirs[OUTPUT], STDOUT_FILENO},
               {pipes->theirs[OUTPUT], STDERR_FILENO},
               {pipes->theirs[ANSWER], RLK_CHILD_ANSWER_FD},
               {file, RLK_CHILD_FILE_FD}};
  const size_t count = sizeof moves / sizeof *moves - (file < 0 ? 1 : 0);
  for (size_t i = 0; i < count && !error; ++i) {
    error = posix_spawn_file_actions_adddup2(&actions, moves[i].from, moves[i].to);
  }
  /* Nothing else that is open here, by whoever opened it. */
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, file < 0 ? RLK_CHILD_FILE_FD : FD_FREE);
  /* A group of its own: what it starts is found by it. Signals as a program expects them. */
  sigset_t none, pipe;
  sigemptyset(&none);
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!error) error = posix_spawnattr_setflags(&attributes, flags);
  if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &pipe);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  /* posix_spawn takes strings that it does not write to as writable ones. */
  if (!error) error = posix_spawn(out_pid, arguments[0], &actions, &attributes, (char* const*)arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* --- Watching ----------------------------------------------------------------------------------------------------- */

typedef struct watch_t {
  pipes_t* pipes;
  const char* input;
  size_t input_left;
  const rlk_child_limits_t* limits;
  rlk_child_result_t* result;
  size_t answer_capacity;
  bool out_of_memory; /* ours */
} watch_t;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A program that does not read its input must not end this one: the signal is kept from this thread and taken back. */
static ssize_t write_quietly(int fd, const char* bytes, size_t length) {
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t written = write(fd, bytes, length);
  const int error = errno;
  if (written < 0 && error == EPIPE) sigtimedwait(&pipe, NULL, &(struct timespec){0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return written;
}

static void write_input(watch_t* watch) {
  const ssize_t written = write_quietly(watch->pipes->ours[INPUT], watch->input, watch->input_left);
  if (written > 0) {
    watch->input += written;
    watch->input_left -= (size_t)written;
  }
  const bool failed = written < 0 && errno != EAGAIN && errno != EINTR;
  if (watch->input_left == 0 || failed) close_fd(&watch->pipes->ours[INPUT]);
}

static void keep_answer(watch_t* watch, const char* bytes, size_t length) {
  rlk_child_result_t* result = watch->result;
  const size_t room = watch->limits->answer_bytes - result->answer_length;
  if (length > room) {
    result->answer_is_cut = true;
    length = room;
  }
  if (result->answer_length + length >= watch->answer_capacity) {
    const size_t capacity = 2 * (result->answer_length + length + 1);
    char* answer = realloc(result->answer, capacity);
    if (!answer) {
      watch->out_of_memory = true;
      return;
    }
    result->answer = answer;
    watch->answer_capacity = capacity;
  }
  memcpy(result->answer + result->answer_length, bytes, length);
  result->answer_length += length;
}

/* The last bytes say what went wrong; the first are what a program always prints. */
static void keep_output(rlk_child_result_t* result, const char* bytes, size_t length) {
  const size_t size = sizeof result->output;
  if (length > size) {
    bytes += length - size;
    length = size;
  }
  const size_t kept = result->output_length + length > size ? size - length : result->output_length;
  memmove(result->output, result->output + result->output_length - kept, kept);
  memcpy(result->output + kept, bytes, length);
  result->output_length = kept + length;
}

/* Reads what is there. */
static void drain(watch_t* watch, stream_t stream) {
  char bytes[READ_BYTES];
  const ssize_t length = read(watch->pipes->ours[stream], bytes, sizeof bytes);
  if (length > 0 && stream == ANSWER) {
    keep_answer(watch, bytes, (size_t)length);
  } else if (length > 0) {
    keep_output(watch->result, bytes, (size_t)length);
  } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
    close_fd(&watch->pipes->ours[stream]);
  }
}

static void attend(watch_t* watch) {
  struct pollfd fds[STREAM_COUNT];
  for (int i = 0; i < STREAM_COUNT; ++i) {
    fds[i] = (struct pollfd){.fd = watch->pipes->ours[i], .events = i == INPUT ? POLLOUT : POLLIN};
  }
  if (poll(fds, STREAM_COUNT, POLL_MS) <= 0) return;
  if (fds[INPUT].revents) write_input(watch);
  if (fds[ANSWER].revents) drain(watch, ANSWER);
  if (fds[OUTPUT].revents) drain(watch, OUTPUT);
}

/* What is left in the pipes of a process that has ended; one that it started may still hold them open. */
static void drain_rest(watch_t* watch) {
  for (int i = ANSWER; i < STREAM_COUNT; ++i) {
    struct pollfd fd = {.fd = watch->pipes->ours[i], .events = POLLIN};
    while (fd.fd >= 0 && poll(&fd, 1, 0) > 0) {
      drain(watch, (stream_t)i);
      fd.fd = watch->pipes->ours[i];
    }
  }
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

typedef struct memory_t {
  rlk_family_t family; /* as it was found last */
  pid_t heaviest;      /* of it: looked at each time, since that costs nothing */
  int64_t next_ms;     /* when all are looked through again */
} memory_t;

static uint64_t sum_resident(memory_t* memory) {
  uint64_t sum = 0, most = 0;
  for (size_t i = 0; i < memory->family.count; ++i) {
    const uint64_t bytes = rlk_process_resident(memory->family.members[i]);
    if (bytes > most) memory->heaviest = memory->family.members[i];
    if (bytes > most) most = bytes;
    sum += bytes;
  }
  return sum;
}

/* What a process shares with its children is resident once, and counted with each. */
static uint64_t sum_shares(const memory_t* memory) {
  uint64_t sum = 0;
  for (size_t i = 0; i < memory->family.count; ++i) sum += rlk_process_share(memory->family.members[i]);
  return sum;
}

static bool holds_more(memory_t* memory, pid_t pid, uint64_t limit) {
  if (memory->heaviest > 0 && rlk_process_resident(memory->heaviest) > limit) memory->next_ms = 0;
  const int64_t begin = now_ms();
  if (begin < memory->next_ms || !rlk_family_find(&memory->family, pid)) return false;
  const bool more = sum_resident(memory) > limit && sum_shares(memory) > limit;
  const int64_t end = now_ms();
  memory->next_ms = end + LOOK_MS + LOOK_PART * (end - begin);
  return more;
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

typedef struct stopping_t {
  rlk_child_end_t end; /* RLK_CHILD_EXITED: it is not stopped */
  int64_t kill_ms;     /* when SIGTERM was not enough */
} stopping_t;

static void stop_at_limit(const watch_t* watch, pid_t pid, int64_t begin, memory_t* memory, stopping_t* stopping) {
  const int64_t now = now_ms();
  if (stopping->end != RLK_CHILD_EXITED) {
    if (now >= stopping->kill_ms) kill(-pid, SIGKILL);
    return;
  }
  if (now - begin >= (int64_t)watch->limits->time_ms) {
    stopping->end = RLK_CHILD_OUT_OF_TIME;
  } else if (holds_more(memory, pid, watch->limits->memory_bytes)) {
    stopping->end = RLK_CHILD_OUT_OF_MEMORY;
  } else {
    return;
  }
  stopping->kill_ms = now + GRACE_MS;
  kill(pid, SIGTERM);
}

/* Waits for the end, or brings it about. */
static void watch_child(watch_t* watch, pid_t pid, const char* mark) {
  const int64_t begin = now_ms();
  int status = 0;
  stopping_t stopping = {.end = RLK_CHILD_EXITED};
  memory_t memory = {0};
  while (waitpid(pid, &status, WNOHANG) == 0) {
    attend(watch);
    stop_at_limit(watch, pid, begin, &memory, &stopping);
  }
  rlk_family_deinit(&memory.family);
  kill(-pid, SIGKILL);
  rlk_strays_stop(mark, pid);
  drain_rest(watch);
  watch->result->end = stopping.end;
  if (stopping.end != RLK_CHILD_EXITED) return;
  watch->result->end = WIFSIGNALED(status) ? RLK_CHILD_SIGNALED : RLK_CHILD_EXITED;
  watch->result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

rowlock_code_t rlk_child_run(const char* const* arguments, const char* input, size_t input_length, int file,
                             const rlk_child_limits_t* limits, rlk_child_result_t* out_result, rowlock_error_t* err) {
  *out_result = (rlk_child_result_t){.answer = calloc(1, 1)};
  if (!out_result->answer) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for an answer");
  pipes_t pipes;
  pid_t pid;
  char mark[RLK_MARK_SIZE];
  rlk_mark_make(mark);
  char** environment = rlk_mark_environment(mark);
  int error = open_pipes(&pipes) ? 0 : errno;
  int moved = file < 0 || error ? -1 : fcntl(file, F_DUPFD_CLOEXEC, FD_FREE);
  if (!error && file >= 0 && moved < 0) error = errno;
  if (!error) error = environment ? spawn(&pipes, moved, arguments, environment, &pid) : ENOMEM;
  free(environment);
  close_fd(&moved);
  for (int i = 0; i < STREAM_COUNT; ++i) close_fd(&pipes.theirs[i]);
  watch_t watch = {.pipes = &pipes,
                   .input = input,
                   .input_left = input_length,
                   .limits = limits,
                   .result = out_result,
                   .answer_capacity = 1};
  if (!error) watch_child(&watch, pid, mark);
  close_all(&pipes);
  if (error || watch.out_of_memory) {
    rlk_child_result_deinit(out_result);
    return error ? rlk_fail(err, ROWLOCK_INTERNAL, "cannot start '%.200s': %s", arguments[0], strerror(error))
                 : rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for an answer");
  }
  out_result->answer[out_result->answer_length] = '\0';
  return ROWLOCK_OK;
}
