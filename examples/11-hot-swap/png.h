/* png.h - grey pictures as PNG files. */
#ifndef PNG_H
#define PNG_H

/* Writes width * height bytes, rows from the top, 0 black. Returns 0; else errno says what went wrong. */
int png_write(const char *path, const unsigned char *pixels, unsigned width, unsigned height);

#endif
