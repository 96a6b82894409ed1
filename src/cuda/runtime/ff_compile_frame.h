/* What fireflip and its run-time compiler (cuda/nvrtc/fireflip_nvrtc.c) say to each other, through a socket between two
 * processes of one machine: a request, then an answer, each a head and the bytes that it counts. The compiler ends when the
 * socket closes. */
#ifndef FF_COMPILE_FRAME_H
#define FF_COMPILE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FF_FRAME_REQUEST UINT64_C(0x3171657270696c66) /* to be raised with any change of the heads or of what follows them */
#define FF_FRAME_ANSWER UINT64_C(0x31736e6170696c66)
#define FF_FRAME_MOST (UINT64_C(1) << 30)             /* bytes after a head */

/* How the compiler ends where it gives no answer. */
#define FF_COMPILER_BAD_REQUEST 2
#define FF_COMPILER_LEFT 3 /* nobody holds the socket's other end any more */
#define FF_COMPILER_NO_MEMORY 4

/* Then come n_options options, each terminated, and the text, terminated too. */
typedef struct {
  uint64_t mark, sum;
  uint64_t options, text; /* bytes */
  uint32_t n_options;
  uint32_t newest;        /* NVRTC's major version at most */
} ff_frame_request;

typedef enum {
  FF_COMPILED,            /* the content is a cubin */
  FF_COMPILED_WRONG,      /* the text does not compile: the content is the compiler's log */
  FF_COMPILED_UNAVAILABLE /* no compiler, or none that takes the options: the content is a clause that says why */
} ff_compiled;

/* Then come the name of the compiler (ff_maker_name) and the content, both terminated. */
typedef struct {
  uint64_t mark, sum;
  uint64_t maker, content; /* bytes, with the terminating one */
  uint64_t outcome;        /* ff_compiled */
} ff_frame_answer;

/* What a frame's `sum` is, of the bytes after its head (FNV-1a). */
uint64_t ff_frame_sum(const void *bytes, size_t n);

#define FF_MAKER_ROOM 4300

/* A compiler's name: its version and its library's size, time and path. 0 where the library cannot be looked at. */
int ff_maker_name(char out[FF_MAKER_ROOM], int major, int minor, const char *path);

/* Whether the library that a name tells of is there, unchanged. */
int ff_maker_is_there(const char *maker);

#endif
