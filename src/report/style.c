/* The page's looks, report.css, inside the library: one column of text, plots beside each other where
 * there is room, light, dark, paper. It is copied by the assembler, as the server's page is
 * (server/assets.c), because a report is one file that loads nothing. */
#include "report/parts.h"

__asm__(".pushsection .rodata\n"
        "report_css:\n.incbin \"" FILM_ROOT "/src/report/report.css\"\n.byte 0\n"
        ".popsection\n");
extern const char report_css[];

const char *const page_style = report_css;
