#define _GNU_SOURCE /* SOCK_CLOEXEC, environ */
#include "ff_compile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct ff_compile {
  pid_t child;     /* 0: it has ended */
  int fd;          /* this process's end of the socket; -1: closed */
  char *request;   /* with its head */
  size_t request_bytes, sent;
  ff_frame_answer head;
  char *answer;    /* what follows the head; allocated once the head has arrived */
  size_t answer_bytes, received; /* `received` includes the head */
  int done;
  ff_error failed; /* its status is FF_OK if nothing failed */
};

/* ---- the process -------------------------------------------------------------------------------------------------------- */

/* Whether the child still exists. Waits for this child only. If other code has already collected its status, it counts as ended,
 * and *how is -1. */
static int reap(ff_compile *c, int flags, int *how) {
  pid_t got;
  *how = -1;
  if (c->child == 0) return 0;
  do got = waitpid(c->child, how, flags);
  while (got < 0 && errno == EINTR);
  if (got == 0) return 1;
  if (got < 0) *how = -1;
  c->child = 0;
  return 0;
}

/* Starts the child in a process group of its own, so that Ctrl-C in a terminal does not reach it, and with default signal
 * handling. Its standard input and output are the socket. Returns 0 or an error number. */
static int spawn(pid_t *child, const char *program, int fd) {
  extern char **environ;
  char *const arguments[] = {(char *)program, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  int wrong = posix_spawn_file_actions_init(&files);
  if (wrong) return wrong;
  wrong = posix_spawnattr_init(&attributes);
  if (wrong) {
    posix_spawn_file_actions_destroy(&files);
    return wrong;
  }
  wrong = posix_spawn_file_actions_adddup2(&files, fd, 0);
  if (!wrong) wrong = posix_spawn_file_actions_adddup2(&files, fd, 1);
  if (!wrong) wrong = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  if (!wrong) wrong = posix_spawnattr_setsigmask(&attributes, &none);
  if (!wrong) wrong = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!wrong) wrong = posix_spawnattr_setpgroup(&attributes, 0);
  if (!wrong)
    wrong = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  if (!wrong) wrong = posix_spawn(child, program, &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return wrong;
}

static ff_status start_child(ff_compile *c, const char *program, ff_error *err) {
  int fd[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
    return ff_error_set(err, FF_EBACKEND, "the run-time compiler does not start: %s", strerror(errno));
  c->fd = fd[0];
  int wrong = fcntl(fd[0], F_SETFL, O_NONBLOCK) != 0 ? errno : spawn(&c->child, program, fd[1]);
  if (wrong) c->child = 0;
  close(fd[1]);
  if (!wrong) return FF_OK;
  return ff_error_set(err, FF_EBACKEND, "the run-time compiler %s does not start: %s", program, strerror(wrong));
}

/* ---- the request ---------------------------------------------------------------------------------------------------------- */

static ff_status write_request(ff_compile *c, const ff_compile_input *in, ff_error *err) {
  ff_frame_request head = {.mark = FF_FRAME_REQUEST, .text = strlen(in->text) + 1, .n_options = (uint32_t)in->n_options,
                           .newest = (uint32_t)in->newest};
  for (int i = 0; i < in->n_options; i++) head.options += strlen(in->options[i]) + 1;
  if (head.text > FF_FRAME_MOST || head.options > FF_FRAME_MOST)
    return ff_error_set(err, FF_ESIZE, "%llu bytes are too many to compile", (unsigned long long)head.text);
  const size_t rest = (size_t)(head.options + head.text);
  c->request = ff_calloc(sizeof head + rest, 1);
  if (c->request == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  char *at = c->request + sizeof head;
  for (int i = 0; i < in->n_options; i++) {
    const size_t n = strlen(in->options[i]) + 1;
    memcpy(at, in->options[i], n);
    at += n;
  }
  memcpy(at, in->text, (size_t)head.text);
  head.sum = ff_frame_sum(c->request + sizeof head, rest);
  memcpy(c->request, &head, sizeof head);
  c->request_bytes = sizeof head + rest;
  return FF_OK;
}

/* Sends as much as the socket accepts now. An error here means that the child has ended, which receive_more() reports. */
static void send_more(ff_compile *c) {
  while (c->sent < c->request_bytes) {
    ssize_t n = send(c->fd, c->request + c->sent, c->request_bytes - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    c->sent = n < 0 ? c->request_bytes : c->sent + (size_t)n;
  }
  free(c->request);
  c->request = NULL;
}

ff_status ff_compile_start(ff_compile **out, const char *program, const ff_compile_input *input, ff_error *err) {
  *out = NULL;
  ff_compile *c = ff_calloc(1, sizeof *c);
  if (c == NULL) return ff_error_set(err, FF_EMEMORY, "no memory for code");
  c->fd = -1;
  ff_status status = write_request(c, input, err);
  if (status == FF_OK) status = start_child(c, program, err);
  if (status != FF_OK) {
    ff_compile_free(c);
    return status;
  }
  send_more(c);
  *out = c;
  return FF_OK;
}

/* ---- the answer ----------------------------------------------------------------------------------------------------------- */

/* The child has closed its end without a complete answer. Sets c->failed. */
static ff_status ended_early(ff_compile *c) {
  int how;
  reap(c, 0, &how);
  if (how != -1 && WIFSIGNALED(how))
    return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler was ended by signal %d", WTERMSIG(how));
  if (how != -1 && WIFEXITED(how) && WEXITSTATUS(how) == FF_COMPILER_NO_MEMORY)
    return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler has no memory");
  if (how != -1 && WIFEXITED(how) && WEXITSTATUS(how) == 127) /* how some systems report that a program does not exist */
    return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler does not start");
  if (how != -1 && WIFEXITED(how))
    return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler ended with status %d, without an answer",
                        WEXITSTATUS(how));
  return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler ended without an answer");
}

/* Checks the head of the answer and allocates memory for the rest. */
static ff_status take_head(ff_compile *c) {
  const ff_frame_answer *h = &c->head;
  if (h->mark != FF_FRAME_ANSWER || h->maker == 0 || h->content == 0 || h->maker > FF_FRAME_MOST || h->content > FF_FRAME_MOST ||
      h->outcome > FF_COMPILED_UNAVAILABLE)
    return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler belongs to another version of fireflip");
  c->answer_bytes = (size_t)(h->maker + h->content);
  c->answer = ff_calloc(c->answer_bytes, 1);
  return c->answer != NULL ? FF_OK : ff_error_set(&c->failed, FF_EMEMORY, "no memory for compiled code");
}

static ff_status take_answer(ff_compile *c) {
  const char *content = c->answer + c->head.maker;
  if (ff_frame_sum(c->answer, c->answer_bytes) != c->head.sum || content[-1] != '\0' || content[c->head.content - 1] != '\0')
    return ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler's answer is damaged");
  c->done = 1;
  return FF_OK;
}

/* Reads as much as has arrived. */
static ff_status receive_more(ff_compile *c) {
  while (!c->done && c->failed.status == FF_OK) {
    const int in_head = c->received < sizeof c->head;
    char *to = in_head ? (char *)&c->head + c->received : c->answer + (c->received - sizeof c->head);
    const size_t wanted = (in_head ? sizeof c->head : sizeof c->head + c->answer_bytes) - c->received;
    ssize_t n = recv(c->fd, to, wanted, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return FF_OK;
    if (n <= 0) return ended_early(c);
    c->received += (size_t)n;
    if ((size_t)n < wanted) continue;
    if (in_head)
      take_head(c);
    else
      take_answer(c);
  }
  return c->failed.status;
}

ff_status ff_compile_wait(ff_compile *c, double seconds, int *done, ff_error *err) {
  const double stop = ff_clock() + seconds;
  while (!c->done && c->failed.status == FF_OK) {
    const double left = stop - ff_clock();
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    if (c->request != NULL) p.events |= POLLOUT;
    int n = poll(&p, 1, left > 1000 ? 1000000 : left > 0 ? (int)(left * 1000) + 1 : 0);
    if (n < 0 && errno != EINTR)
      ff_error_set(&c->failed, FF_EBACKEND, "the run-time compiler's answer cannot be read (error %d)", errno);
    if (n <= 0) break; /* time is up, or a signal has arrived that the caller may want to handle */
    if (c->request != NULL) send_more(c);
    receive_more(c);
  }
  *done = c->done;
  return c->failed.status == FF_OK ? FF_OK : ff_error_set(err, c->failed.status, "%s", c->failed.text);
}

ff_compile_answer ff_compile_get(const ff_compile *c) {
  const ff_compile_answer out = {(ff_compiled)c->head.outcome, c->answer, c->answer + c->head.maker, (size_t)c->head.content - 1};
  return out;
}

void ff_compile_free(ff_compile *c) {
  int how;
  if (c == NULL) return;
  if (c->fd >= 0) close(c->fd);
  if (reap(c, WNOHANG, &how)) { /* it still runs and is this process's child */
    kill(c->child, SIGKILL);
    reap(c, 0, &how);
  }
  free(c->request);
  free(c->answer);
  free(c);
}
