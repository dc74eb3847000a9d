/* Embeds report.css, the style sheet of the page, in the library. The assembler includes the file,
 * as in server/assets.c, because a report is a single file that loads nothing. */
#include "report/parts.h"

__asm__(".pushsection .rodata\n"
        "report_css:\n.incbin \"" FILM_ROOT "/src/report/report.css\"\n.byte 0\n"
        ".popsection\n");
extern const char report_css[];

const char *const page_style = report_css;
