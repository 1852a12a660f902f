/* litmus_page.h - a verdict on a litmus test as a line of text, a line of JSON, a history and a picture. */
#ifndef ORDO_CLI_LITMUS_PAGE_H
#define ORDO_CLI_LITMUS_PAGE_H

#include "base/status.h"
#include "sim/ptx_litmus.h"

#include <stdbool.h>

/* An execution to show where none decides: one that never ends if none ends, else one that an axiom forbids. */
void ordo_litmus_look(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_verdict *v);

/* On stdout; explains: with the history, which ordo_litmus_look() may have found. */
void ordo_litmus_text(const char *file, bool liveness, bool explains, const struct ordo_ptx_program *p,
                      const struct ordo_ptx_verdict *v);
void ordo_litmus_json(const char *file, bool liveness, bool explains, const struct ordo_ptx_program *p,
                      const struct ordo_ptx_verdict *v);
/* Writes the picture to path.  Where there is nothing to draw it writes no file and says so on stderr. */
enum ordo_status ordo_litmus_draw(const char *path, const char *file, const struct ordo_ptx_program *p,
                                  const struct ordo_ptx_verdict *v, struct ordo_err *err);

#endif
