/* ThreadSanitizer does not see how libgomp, which is not built for it, orders what threads do before, in and after a
 * team. Told here, it finds what races in tiles, where a suppression would hide that too. What it cannot be told about
 * is the compiler's own record of the shared variables, which is written after the first and read before the second of
 * these: the functions that have such a record are not watched. */
#ifndef ROWLOCK_LOADER_EXEC_FORK_JOIN_H
#define ROWLOCK_LOADER_EXEC_FORK_JOIN_H

#if defined(__SANITIZE_THREAD__)
void tsan_acquire(void* place) __asm__("__tsan_acquire");
void tsan_release(void* place) __asm__("__tsan_release");
#define UNWATCHED __attribute__((no_sanitize("thread")))
#else
static inline void tsan_acquire(void* place) { (void)place; }
static inline void tsan_release(void* place) { (void)place; }
#define UNWATCHED
#endif

#endif
