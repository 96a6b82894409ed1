/* SHA-256 (FIPS 180-4), the digest that names and verifies compiled code. */
#ifndef FF_SHA256_H
#define FF_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define FF_SHA256_BYTES 32

typedef struct {
  uint32_t state[8];
  uint64_t bytes;     /* added so far */
  uint8_t block[64];  /* the last bytes, fewer than a block */
} ff_sha256;

/* A digest is begun, takes data in pieces, and is ended. There is nothing to free. O(bytes). */
void ff_sha256_begin(ff_sha256 *s);
void ff_sha256_add(ff_sha256 *s, const void *data, size_t bytes);
void ff_sha256_end(ff_sha256 *s, uint8_t digest[FF_SHA256_BYTES]);

/* Writes the first `digits` hexadecimal digits (at most 64) of the digest of `data`, terminated: `out` needs digits + 1
 * characters. */
void ff_sha256_hex(char *out, int digits, const void *data, size_t bytes);

#endif
