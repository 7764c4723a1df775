#define _GNU_SOURCE /* kill */
#include "harness/launch/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is read of a process's state. */
enum { TEXT_SIZE = 1024 };

typedef struct process_t {
  pid_t pid, parent;
  bool is_member;
} process_t;

typedef struct processes_t {
  process_t* list;
  size_t count, capacity;
} processes_t;

static bool read_text(pid_t pid, const char* name, char text[TEXT_SIZE]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t length = read(fd, text, TEXT_SIZE - 1);
  close(fd);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* The name of a program may hold anything, ')' and digits too: what follows is behind the last one. */
static pid_t parent_of(pid_t pid) {
  char text[TEXT_SIZE];
  if (!read_text(pid, "stat", text)) return 0;
  const char* behind = strrchr(text, ')');
  char state;
  long parent;
  return behind && sscanf(behind + 1, " %c %ld", &state, &parent) == 2 ? (pid_t)parent : 0;
}

static bool keep(processes_t* processes, pid_t pid, pid_t parent) {
  if (processes->count == processes->capacity) {
    const size_t capacity = processes->capacity ? 2 * processes->capacity : 256;
    process_t* list = realloc(processes->list, capacity * sizeof *list);
    if (!list) return false;
    processes->list = list;
    processes->capacity = capacity;
  }
  processes->list[processes->count++] = (process_t){.pid = pid, .parent = parent};
  return true;
}

static bool list_all(processes_t* processes) {
  DIR* folder = opendir("/proc");
  if (!folder) return false;
  bool complete = true;
  for (const struct dirent* entry; complete && (entry = readdir(folder));) {
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    const pid_t parent = pid > 0 ? parent_of(pid) : 0;
    if (parent > 0) complete = keep(processes, pid, parent);
  }
  closedir(folder);
  return complete;
}

static bool is_among(const pid_t* members, size_t count, pid_t pid) {
  for (size_t i = 0; i < count; ++i) {
    if (members[i] == pid) return true;
  }
  return false;
}

/* Numbers are given in turn and wrap around: a child may be listed before its parent. */
static size_t gather(processes_t* processes, pid_t first, pid_t* members) {
  size_t count = 0, before;
  members[count++] = first;
  do {
    before = count;
    for (size_t i = 0; i < processes->count; ++i) {
      process_t* process = &processes->list[i];
      if (process->is_member || process->pid == first || !is_among(members, count, process->parent)) continue;
      process->is_member = true;
      members[count++] = process->pid;
    }
  } while (count > before);
  return count;
}

void rlk_family_deinit(rlk_family_t* family) {
  free(family->members);
  *family = (rlk_family_t){0};
}

bool rlk_family_find(rlk_family_t* family, pid_t first) {
  processes_t processes = {0};
  pid_t* members = list_all(&processes) ? malloc((processes.count + 1) * sizeof *members) : NULL;
  if (members) {
    free(family->members);
    *family = (rlk_family_t){members, gather(&processes, first, members)};
  }
  free(processes.list);
  return members != NULL;
}

uint64_t rlk_process_resident(pid_t pid) {
  char text[TEXT_SIZE];
  if (!read_text(pid, "statm", text)) return 0;
  const char* second = strchr(text, ' ');
  return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t rlk_process_share(pid_t pid) {
  static const char key[] = "\nPss:";
  char text[TEXT_SIZE];
  const char* line = read_text(pid, "smaps_rollup", text) ? strstr(text, key) : NULL;
  return line ? strtoull(line + sizeof key - 1, NULL, 10) * 1024 : rlk_process_resident(pid);
}

uint64_t rlk_process_peak(void) {
  static const char key[] = "\nVmHWM:";
  char text[TEXT_SIZE];
  const char* line = read_text(getpid(), "status", text) ? strstr(text, key) : NULL;
  return line ? strtoull(line + sizeof key - 1, NULL, 10) * 1024 : 0;
}

bool rlk_children_stop(void) {
  DIR* folder = opendir("/proc");
  if (!folder) return false;
  const pid_t self = getpid();
  bool any = false;
  for (const struct dirent* entry; (entry = readdir(folder));) {
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid > 0 && parent_of(pid) == self) any |= kill(pid, SIGKILL) == 0;
  }
  closedir(folder);
  return any;
}
