/* Operations of the sliced program, shared by every interpreter of it. */
#ifndef FF_SLICE_CODES_H
#define FF_SLICE_CODES_H

/* Operations on rows. dst, a, b, c are row numbers but where said otherwise. */
enum {
  FF_S_CONST, /* dst = all bits a */
  FF_S_COPY,
  FF_S_NOT,
  FF_S_AND,
  FF_S_NAND,
  FF_S_OR,
  FF_S_NOR,
  FF_S_ANDN, /* a & ~b */
  FF_S_ORN,  /* ~a | b, the opposite of ANDN */
  FF_S_XOR,
  FF_S_XNOR,
  FF_S_MUX,   /* a where c, else b */
  FF_S_TABLE, /* a = place in args: k, k rows (least significant first), 2^k bits */
  FF_S_SELECT /* b choices from place a in selects on; dst = first of their mask rows, in the order of their cuts */
};

#endif
