/* The verbs that need libfilm: a model answers. Each is a file of its own; main.c has their
 * names. */
#include "cli.h"

extern const struct verb verb_match, verb_explain, verb_predict, verb_embed, verb_info,
    verb_completions;

const struct verb *const film_verbs[] = {&verb_match, &verb_explain,     &verb_predict, &verb_embed,
                                         &verb_info,  &verb_completions, NULL};
