/* The operations of the sliced program, for all its interpreters. */
#ifndef FF_SLICE_CODES_H
#define FF_SLICE_CODES_H

/* Operations on rows. dst, a, b and c are row numbers unless stated otherwise. */
enum {
  FF_S_CONST, /* all bits of dst = a */
  FF_S_COPY,
  FF_S_NOT,
  FF_S_AND,
  FF_S_NAND,
  FF_S_OR,
  FF_S_NOR,
  FF_S_ANDN, /* a & ~b */
  FF_S_ORN,  /* ~a | b, the complement of ANDN */
  FF_S_XOR,
  FF_S_XNOR,
  FF_S_MUX,   /* a if c is 1, else b, for each bit */
  FF_S_TABLE, /* a = position in args of: k, k rows (least significant first), 2^k bits */
  FF_S_SELECT /* b choices from position a in `selects` on; dst = first of their mask rows, in the order of their cuts */
};

#endif
