/* The verbs that need only libfilm: they use a trained model. Each has its own file. */
#include "cli.h"

extern const struct verb verb_match, verb_explain, verb_edit, verb_predict, verb_embed, verb_info,
    verb_page, verb_completions;

const struct verb *const film_verbs[] = {&verb_match,   &verb_explain,     &verb_edit,
                                         &verb_predict, &verb_embed,       &verb_info,
                                         &verb_page,    &verb_completions, NULL};
