#include "ff_sum.h"

double ff_sum_difference(const uint64_t a[2], const uint64_t b[2], const uint64_t c[2], const uint64_t d[2]) {
  const uint64_t *factors[2][2] = {{a, b}, {c, d}};
  uint64_t product[2][4] = {{0}};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        uint64_t part[2] = {0}, carry;
        ff_sum_add_product(part, factors[k][0][i], factors[k][1][j]);
        for (int l = i + j; l < 4 && (part[0] | part[1]) != 0; l++) {
          product[k][l] += part[0];
          carry = product[k][l] < part[0];
          part[0] = part[1] + carry;
          part[1] = part[0] < carry;
        }
      }
  int last = 3, larger = 0;
  while (last > 0 && product[0][last] == product[1][last]) last--;
  larger = product[0][last] < product[1][last];
  uint64_t borrow = 0;
  double out = 0, unit = 1;
  for (int l = 0; l < 4; l++, unit *= 18446744073709551616.0) {
    uint64_t x = product[larger][l], y = product[1 - larger][l], rest = x - y - borrow;
    borrow = x < y || (x == y && borrow);
    out += (double)rest * unit;
  }
  return larger ? -out : out;
}
