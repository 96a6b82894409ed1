/* The messages between fireflip and its run-time compiler (cuda/nvrtc/fireflip_nvrtc.c), two processes of one machine that are
 * connected by a socket: one request, then one answer. Each is a head, followed by the bytes whose number the head gives. The
 * compiler ends when the other end of the socket closes. */
#ifndef FF_COMPILE_FRAME_H
#define FF_COMPILE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FF_FRAME_REQUEST UINT64_C(0x3171657270696c66) /* change this mark with any change of the heads or of what follows them */
#define FF_FRAME_ANSWER UINT64_C(0x31736e6170696c66)
#define FF_FRAME_MOST (UINT64_C(1) << 30)             /* the most bytes of each part after a head */

/* Exit statuses of the compiler if it gives no answer. */
#define FF_COMPILER_BAD_REQUEST 2
#define FF_COMPILER_LEFT 3 /* the other end of the socket is closed */
#define FF_COMPILER_NO_MEMORY 4

/* The head of a request. After it come n_options options and the text, each terminated. */
typedef struct {
  uint64_t mark, sum;
  uint64_t options, text; /* bytes */
  uint32_t n_options;
  uint32_t newest;        /* the highest major version of NVRTC that may be used */
} ff_frame_request;

typedef enum {
  FF_COMPILED,            /* the content is a cubin */
  FF_COMPILED_WRONG,      /* the text does not compile; the content is the compiler's log */
  FF_COMPILED_UNAVAILABLE /* there is no compiler, or it does not accept the options; the content is a clause that says why */
} ff_compiled;

/* The head of an answer. After it come the compiler's name (ff_maker_name) and the content, both terminated. */
typedef struct {
  uint64_t mark, sum;
  uint64_t maker, content; /* bytes, with the terminating byte, and for `maker` zeros up to a multiple of 16 */
  uint64_t outcome;        /* an ff_compiled */
} ff_frame_answer;

/* The checksum `sum` of a message: FNV-1a of the n bytes after its head. O(n). */
uint64_t ff_frame_sum(const void *bytes, size_t n);

#define FF_MAKER_ROOM 4300

/* Writes the name of a compiler: its version, and the size, time and path of its library. Returns 0 if the library's file cannot
 * be examined or the name is too long. */
int ff_maker_name(char out[FF_MAKER_ROOM], int major, int minor, const char *path);

/* Whether the library that a name describes exists and is unchanged. */
int ff_maker_is_there(const char *maker);

#endif
