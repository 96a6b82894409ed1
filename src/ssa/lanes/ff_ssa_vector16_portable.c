/* Trajectories one beside the other, without vector instructions. */
#include <math.h>
#include <string.h>

#include "../../model/ff_formula_math.h"
#include "../path/ff_ssa_draws.h"
#include "ff_ssa_factored.h"
#include "ff_ssa_ring16.h"
#include "ff_ssa_vector32.h"
#include "ff_ssa_vector16.h"

#define FF_KERNEL(name) ff_ssa_##name##_portable
#define D double
#define U uint64_t
#define M uint32_t
#define VL 1
#define D_LOAD(p) (*(p))
#define D_LOAD_SMALL(p) ((double)*(p))
#define D_STORE(p, v) (*(p) = (v))
#define D_SET(x) ((double)(x))
#define U_LOAD(p) (*(p))
#define U_STORE(p, v) (*(p) = (v))
#define U_SET(x) ((uint64_t)(x))
#define D_LESS(a, b) ((M)((a) < (b)))
#define D_MOST(a, b) ((M)((a) <= (b)))
#define D_TABLE(t, i) ((t)[i])
#define D_LONG_TABLE(t, i) D_TABLE(t, i)
#define U_EQUAL(a, b) ((M)((a) == (b)))
#define M_AND(a, b) ((a) & (b))
#define M_OR(a, b) ((a) | (b))
#define M_NOT(a) (1u - (a))
#define M_NONE 0u
#define M_BITS(a) (a)
#define D_PICK(m, a, b) ((m) ? (a) : (b))
#define D_RAISE(m, a, b) ((m) ? (a) : (b))
#define D_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define D_GREATEST(a, b) ((a) > (b) ? (a) : (b))
#define U_COUNT(m, n) ((n) + (m))
#define U_PICK(m, a, b) ((m) ? (a) : (b))
#define U_MUL(a, b) ((uint64_t)(uint32_t)(a) * (uint32_t)(b))
#define U_XOR3(a, b, c) ((a) ^ (b) ^ (c))
#define U_AND(a, b) ((a) & (b))
#define U_OR(a, b) ((a) | (b))
#define U_ADD(a, b) ((a) + (b))
#define U_RIGHT(a, n) ((a) >> (n))
#define U_LEFT(a, n) ((a) << (n))
#define D_WHOLE(high, low) ((double)(((high) << 32 | (uint32_t)(low)) >> 11))
#define D_OF(u) ff_math_from_bits(u)
#define U_OF(d) ff_math_bits(d)
#define D_GATHER(base, index) ((base)[(index) * FF_SSA_LANES])

#define I uint32_t
#define IM uint32_t
#define IL 1
#define I_LOAD(p) (*(p))
#define I_STORE(p, v) (*(p) = (v))
#define I_SET(x) ((uint32_t)(x))
#define I_ADD(a, b) ((a) + (b))
#define I_SUB(a, b) ((a) - (b))
#define I_MUL(a, b) ((a) * (b))
#define I_AND(a, b) ((a) & (b))
#define I_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define I_LEFT(a, n) ((a) << (n))
#define I_RIGHT(a, n) ((a) >> (n))
#define I_RIGHT_SIGNED(a, n) ((uint32_t)((int32_t)(a) >> (n)))
#define I_RIGHT_EACH(a, b) ((a) >> (b))
#define I_RIGHT_BY(a, n) ((a) >> (n))
#define I_LEFT_BY(a, n) ((a) << (n))
#define I_EQUAL(a, b) ((a) == (b))
#define I_MOST(a, b) ((int32_t)(a) <= (int32_t)(b))
#define I_PICK(m, a, b) ((m) ? (a) : (b))
#define I_COUNT(m, n) ((n) + (m))
#define I_OF(d) ((uint32_t)(int32_t)(d)[0])
#define I_GATHER(p, i) ((p)[i])
#define I_SCATTER(p, i, x) ((p)[i] = (x))
#define I_TABLE8(p, i) ((uint32_t)(p)[i])
#define I_TABLE32(p, i) ((uint32_t)(p)[i])
#define D_SCATTER(base, index, x) ((base)[(index) * FF_SSA_LANES] = (x))

#include "ff_ssa_vector16_kernel.h"
#include "ff_ssa_vector32_kernel.h"
