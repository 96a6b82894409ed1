/* Decimal numbers as text, with a point in every locale. printf() and strtod() take the sign of the process's locale, which any
 * library may change, so no other file of src/ reads or writes a number with a fraction. tools/check-layers checks this. */
#ifndef FF_DECIMAL_H
#define FF_DECIMAL_H

#include <stdarg.h>
#include <stddef.h>

/* The number of bytes of the number at the start of the text, such as 1, .5, 1.e3 or 2E-3; 0 if there is none. A sign does not
 * belong to it. O(result). */
size_t ff_decimal_length(const char *text, size_t length);

/* The value of such a number, correctly rounded, or infinity. O(length). */
double ff_decimal_read(const char *text, size_t length);

/* The value of `number` * 10^power, correctly rounded, where a finite `number` stands for the decimal number with the fewest
 * digits that is read as it. O(1). */
double ff_decimal_scale(double number, int power);

/* A number as text, with Inf, -Inf and NaN as R writes them. All are O(1). */
typedef struct {
  char text[32];
} ff_shown;
ff_shown ff_show(double number, int digits); /* for messages: with at most `digits` digits, 1 to 17 */
ff_shown ff_show_exact(double number);       /* for files: the fewest digits, from 15 on, that are read as the same number */
/* For formulas and R: the fewest digits that are read as the same number, or the nearest number of `digits` digits, 1 to 17, if
 * these are too few. As in R, there is an exponent if the text is shorter with it, and otherwise all digits of the whole part. */
ff_shown ff_show_as_r(double number, int digits);

/* vsnprintf() with a point in numbers. */
int ff_print_list(char *text, size_t size, const char *format, va_list args);

#endif
