#include "verdict.h"

static void write_place(struct bytes *out, char side, size_t start, size_t end)
{
    if (side)
        bytes_format(out, ", \"side\": \"%c\", \"span\": [%zu, %zu]", side, start, end);
    else
        bytes_text(out, ", \"side\": null, \"span\": null");
}

static void write_reason(struct bytes *out, const film_reason *reason)
{
    bytes_text(out, "{\"kind\": ");
    bytes_string(out, film_string(reason->kind));
    bytes_text(out, ", \"text\": ");
    bytes_string(out, (film_text){reason->text, reason->text_length});
    write_place(out, reason->side, reason->start, reason->end);
    bytes_text(out, ", \"weight\": ");
    bytes_real(out, reason->weight);
    if (reason->other_side) {
        bytes_text(out, ", \"other\": {\"text\": ");
        bytes_string(out, (film_text){reason->other, reason->other_length});
        write_place(out, reason->other_side, reason->other_start, reason->other_end);
        bytes_text(out, "}");
    }
    bytes_text(out, "}");
}

void verdict_reasons(struct bytes *out, const film_verdict *verdict, size_t most)
{
    bytes_text(out, "\"reasons\": [");
    for (size_t i = 0; i < verdict->reason_count && i < most; i++) {
        if (i) bytes_text(out, ", ");
        write_reason(out, &verdict->reasons[i]);
    }
    bytes_text(out, "]");
}
