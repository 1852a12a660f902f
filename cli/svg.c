/* svg.c - see svg.h: what the pictures share. */
#include "cli/svg.h"

#include "base/replace.h"
#include "cli/out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The ramp goes from the ground's side to the far side, on both grounds; even steps of lightness. */
static const char style[] =
    "<style>\n"
    "svg{color-scheme:light dark;font:13px system-ui,'DejaVu Sans',sans-serif;--ground:#fff;--ink:#1b1f24;"
    "--dim:#5a6470;--line:#d4d9df;--box:#eef2f7;--accent:#0b5cad}\n"
    ".r0{fill:#eef3f9}.r1{fill:#d6e4f2}.r2{fill:#bdd4ea}.r3{fill:#a2c2e0}.r4{fill:#84add5}.r5{fill:#6697c7}"
    ".r6{fill:#4a80b6}.r7{fill:#3169a2}.r8{fill:#1d518a}.r9{fill:#0d3a6e}\n"
    "@media(prefers-color-scheme:dark){svg{--ground:#14181d;--ink:#e6e9ed;--dim:#9aa5b1;--line:#39414a;--box:#232a32;"
    "--accent:#7ab8f5}\n"
    ".r0{fill:#1c2733}.r1{fill:#203a54}.r2{fill:#264d71}.r3{fill:#2f618d}.r4{fill:#3c76a7}.r5{fill:#4e8bbf}"
    ".r6{fill:#67a1d3}.r7{fill:#86b7e3}.r8{fill:#aacff0}.r9{fill:#d3e7fa}}\n"
    "rect{shape-rendering:crispEdges}.box{shape-rendering:auto}.ground{fill:var(--ground)}\n"
    "text{fill:var(--ink)}.dim{fill:var(--dim)}.strong{font-weight:600}\n"
    ".grid{stroke:var(--line);stroke-width:1;fill:none}.axis{stroke:var(--dim);stroke-width:1;fill:none}\n"
    ".line{stroke:var(--ink);stroke-width:1.6;fill:none;stroke-linejoin:round}"
    ".thin{stroke-width:1;stroke:var(--dim)}\n"
    ".box{fill:var(--box);stroke:var(--dim);stroke-width:1}.sum{stroke:var(--accent);stroke-width:2}"
    ".edge{stroke:var(--dim);stroke-width:1.4;fill:none}.head{fill:var(--dim)}\n"
    "</style>\n";

/* Control characters have no place in XML; what is not UTF-8 becomes question marks. */
static void escaped(FILE *out, const char *text)
{
    json_t *utf8 = json_string(text);

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&' || c == '<' || c == '>' || c == '"')
            fprintf(out, "&#%d;", c);
        else
            putc(c < 0x20 || c == 0x7f || (c > 0x7f && !utf8) ? '?' : c, out);
    }
    json_decref(utf8);
}

void ordo_svg_begin(FILE *out, int width, int height, const char *title)
{
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                 "role=\"img\">\n<title>", width, height, width, height);
    escaped(out, title);
    fprintf(out, "</title>\n%s<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", style, width, height);
}

void ordo_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void ordo_svg_text(FILE *out, double x, double y, const char *anchor, const char *class_, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, class_);
    escaped(out, text);
    fputs("</text>\n", out);
}

struct bytes {
    char *text;
    size_t n;
};

static int fill(int fd, void *ctx)
{
    const struct bytes *b = ctx;

    return ordo_write_all(fd, b->text, b->n);
}

enum ordo_status ordo_svg_file(const char *path, void (*draw)(FILE *out, const void *what), const void *what,
                               struct ordo_err *err)
{
    struct bytes b = {NULL, 0};
    FILE *out = ordo_need(open_memstream(&b.text, &b.n));
    enum ordo_status status;

    draw(out, what);
    ordo_need(fclose(out) == 0 ? b.text : NULL);
    status = ordo_replace_file(path, "--svg", fill, &b, err);
    free(b.text);
    return status;
}
