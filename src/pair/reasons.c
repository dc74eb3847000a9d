/* Attributes a verdict to weighted reasons that add up to its log-odds (see reasons.h for the
 * formulas). The verdict itself comes from match.c. */
#include "pair/reasons.h"
#include "base/sort.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A list of reasons ---- */

/* Returns whether a reason with this weight cannot be given: the `wanted` strongest so far are all
 * stronger. Otherwise notes its strength; `strongest` is a heap with the weakest on top. A reason
 * is built after this, so that hundreds of weak ones cost little. */
static int is_too_weak(struct match *match, double weight)
{
    double strength = fabs(weight), *heap = match->strongest;
    size_t count = match->wanted, at = 0;
    if (weight == 0) return 1;
    if (!count) return 0;
    if (strength <= heap[0]) return strength < heap[0];
    for (size_t below; (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count && heap[below + 1] < heap[below]) below++;
        if (heap[below] >= strength) break;
        heap[at] = heap[below];
    }
    heap[at] = strength;
    return 0;
}

film_status reasons_begin(struct match *match, size_t most, film_error *error)
{
    enum { MOST_OF_HEAP = 256 }; /* whoever wants more wants nearly all */
    match->reason_count = 0;
    match->wanted = most <= MOST_OF_HEAP ? most : 0;
    if (!mem_grow((void **)&match->strongest, &match->strongest_capacity, match->wanted + 1,
                  sizeof *match->strongest))
        return status_no_memory(error);
    memset(match->strongest, 0, match->wanted * sizeof *match->strongest);
    return FILM_OK;
}

static film_status add_reason(struct match *match, const film_reason *reason, film_error *error)
{
    if (!mem_grow((void **)&match->reasons, &match->reasons_capacity, match->reason_count + 1,
                  sizeof *match->reasons))
        return status_no_memory(error);
    match->reasons[match->reason_count++] = *reason;
    return FILM_OK;
}

/* 'a' or 'b' in the order of the caller: the survey may have swapped the sentences. */
static char letter(const struct match *match, int side)
{
    return (side != 0) != (match->survey.reading.swapped != 0) ? 'b' : 'a';
}

static int stronger_first(const void *left, const void *right)
{
    const film_reason *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    if (x != y) return x > y ? -1 : 1;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->other_start < b->other_start ? -1 : a->other_start > b->other_start;
}

void reasons_sort(film_reason *reasons, size_t count)
{
    if (count) sort_array(reasons, count, sizeof *reasons, stronger_first);
}

void reasons_give(struct match *match, size_t most, film_verdict *verdict)
{
    size_t count = match->reason_count;
    reasons_sort(match->reasons, count);
    verdict->reasons = match->reasons;
    verdict->reason_count = most && most < count ? most : count;
}

/* ---- From features to words ---- */

/* Splits SHARE (one per feature of the row) evenly over the occurrences of each feature, and each
 * of those over its first and last word: WEIGHT (one per token). PLACES is scratch, one per
 * feature. */
static void hand_out(const struct feature_row *row, const double *share, double *places,
                     double *weight)
{
    feature_row_places(row, places);
    size_t gram = 0;
    for (int g = 0; g < GROUPS; g++) {
        const struct gram_list *list = &row->grams.group[g];
        for (size_t i = 0; i < list->count; i++, gram++) {
            if (row->found[gram] == STRTAB_NONE) continue;
            size_t at = feature_row_position(row, row->found[gram]);
            double half = 0.5 * share[at] / places[at];
            weight[list->items[i].token] += half;
            weight[list->items[i].last_token] += half;
        }
    }
}

/* The same where every feature is one of a word (feature_row_is_plain): no list is needed. */
static void hand_out_words(struct feature_row *row, const double *share, double *places,
                           double *weight)
{
    uint32_t *position = row->scratch; /* of each occurrence; there is room for all */
    size_t count = row->grams.tokens.count, at = 0;
    memset(places, 0, row->count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        const struct lexeme *word = row->word[i];
        for (uint32_t g = 0; g <= word->gram_count; g++) {
            uint32_t id = g < word->gram_count ? word->gram[g] : word->id;
            if (id == STRTAB_NONE) continue;
            position[at] = (uint32_t)feature_row_position(row, id);
            places[position[at++]] += 1;
        }
    }
    at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct lexeme *word = row->word[i];
        size_t end = at + word->gram_count + (word->id != STRTAB_NONE);
        for (; at < end; at++) weight[i] += share[position[at]] / places[position[at]];
    }
}

/* Adds reasons for the words of one side; FILL computes the shares of its features. */
static film_status add_words(struct match *match, int side,
                             void (*fill)(const struct match *match, int side, double *share),
                             film_error *error)
{
    film_status status = FILM_OK;
    struct feature_row *row = &match->survey.reading.side[side].row;
    const struct tokens *tokens = &row->grams.tokens;
    size_t needed = tokens->count + 2 * row->count;
    if (tokens->count == 0) return FILM_OK; /* an empty sentence: there may be no memory yet */
    const struct features *features = match->decision->encoder->features;
    int plain = feature_row_is_plain(features, row);
    if (!plain) TRY(feature_row_list(features, row, error));
    TRY_ALLOC(
        mem_grow((void **)&match->shares, &match->shares_capacity, needed, sizeof *match->shares),
        error);
    double *weight = match->shares, *share = weight + tokens->count, *places = share + row->count;
    memset(weight, 0, needed * sizeof *weight);
    fill(match, side, share);
    if (plain)
        hand_out_words(row, share, places, weight);
    else
        hand_out(row, share, places, weight);
    for (size_t i = 0; i < tokens->count; i++) {
        film_text word = token_text(tokens, &tokens->items[i]);
        if (is_too_weak(match, weight[i])) continue;
        film_reason reason = {.kind = "word",
                              .id = "word",
                              .text = word.bytes,
                              .text_length = word.length,
                              .side = letter(match, side),
                              .start = tokens->items[i].from,
                              .end = tokens->items[i].to,
                              .weight = weight[i]};
        TRY(add_reason(match, &reason, error));
    }
done:
    return status;
}

/* A reason without a word. */
struct named {
    const char *kind, *id, *text;
    enum family family;
};

static film_status add_named(struct match *match, const struct named *named, double weight,
                             film_error *error)
{
    if (is_too_weak(match, weight)) return FILM_OK;
    film_reason reason = {.kind = named->kind,
                          .id = named->id,
                          .text = named->text,
                          .text_length = strlen(named->text),
                          .weight = weight,
                          .family = family_name(named->family)};
    return add_reason(match, &reason, error);
}

static const struct named
    identical = {"identical", "identical", "the same words in the same order", FAMILY_IDENTITY},
    of_network = {"trait", "encoder_similarity", DECISION_NETWORK, FAMILY_MEANING},
    of_parent = {"start", "start_model", DECISION_PARENT, FAMILY_START},
    of_matches = {"memory", "memory_matches",
                  "known matches of a record, compared with the other record", FAMILY_MEMORY},
    of_black_box = {"trait", "black_box", DECISION_BLACK_BOX, FAMILY_BLACK_BOX},
    of_memory[MEMORY_ANSWERS] = {
        [MEMORY_UNKNOWN] = {"memory", "memory_unknown", "", FAMILY_MEMORY},
        [MEMORY_SAME] = {"memory", "memory_same",
                         "both sentences are known from training as the same", FAMILY_MEMORY},
        [MEMORY_DIFFERENT] = {"memory", "memory_different",
                              "both sentences are known from training as different", FAMILY_MEMORY},
        [MEMORY_TAKEN] = {"memory", "memory_other_match",
                          "one of the records has another match in training", FAMILY_MEMORY}};

static film_status add_identity(struct match *match, film_error *error)
{
    return add_named(match, &identical, match->identity, error);
}

/* The reason of the strongest guarantee that concerns the pair. */
static film_status add_guarantee(struct match *match, film_error *error)
{
    static const struct {
        unsigned kind;
        struct named named;
    } list[] = {
        {ONLY_NUMBER,
         {"guarantee", "guarantee_number", "only a number, unit or date differs", FAMILY_NUMBERS}},
        {ONLY_NEGATION,
         {"guarantee", "guarantee_negation", "only a negation differs", FAMILY_NEGATION}},
        {ONLY_OPPOSITE,
         {"guarantee", "guarantee_opposite", "only opposite words differ", FAMILY_NEGATION}},
        {ONLY_EXCHANGE,
         {"guarantee", "guarantee_exchange", "only the roles of two words differ", FAMILY_ORDER}}};
    unsigned kinds = decision_guarantees(match->decision, &match->survey);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (kinds & list[i].kind) return add_named(match, &list[i].named, match->guarantee, error);
    return FILM_OK;
}

/* ---- Similarity ---- */

/* Squared length of the vector of a side. */
static double squares(const struct match *match, int side)
{
    const struct encoder *encoder = match->decision->encoder;
    const struct reading_side *here = &match->survey.reading.side[side];
    int mapped = word_map_exists(&encoder->map);
    const float *vector = mapped ? here->vector : here->row.value;
    return vec_dot(vector, vector, mapped ? encoder->dim : here->row.count);
}

/* L_w . y for feature I of SIDE and the vector of TARGET; without a map, x_w of that side. */
static double toward(const struct match *match, int side, size_t i, int target)
{
    const struct encoder *encoder = match->decision->encoder;
    const struct reading_side *sides = match->survey.reading.side;
    uint32_t id = sides[side].row.id[i];
    if (word_map_exists(&encoder->map))
        return word_map_toward(&encoder->map, id, sides[target].vector, encoder->dim);
    const struct feature_row *row = &sides[target].row;
    size_t at = feature_row_position(row, id);
    return at < row->count && row->id[at] == id ? (double)row->value[at] : 0;
}

/* The contributions of the features of SIDE to the similarity, in log-odds. */
static void share_of_similarity(const struct match *match, int side, double *share)
{
    const struct encoder *encoder = match->decision->encoder;
    const struct feature_row *row = &match->survey.reading.side[side].row;
    double scale = match->decision->similarity.scale, factor = 0.5 * scale;
    if (encoder->similarity == FILM_COSINE) {
        double lengths = sqrt(squares(match, 0) * squares(match, 1));
        factor = lengths > 0 ? factor / lengths : 0;
    }
    for (size_t i = 0; i < row->count; i++) {
        double product = toward(match, side, i, !side);
        if (encoder->similarity == FILM_EUCLIDEAN)
            share[i] = scale * (double)row->value[i] * (product - toward(match, side, i, side));
        else
            share[i] = factor * (double)row->value[i] * product;
    }
}

/* The vectors are rounded to float, the shares are not: their sum differs from TOTAL by about 1e-7
 * of it. The difference is spread evenly, so that the sum is exact. */
static void settle_sum(film_reason *reasons, size_t count, double total)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += reasons[i].weight;
    for (size_t i = 0; i < count; i++) reasons[i].weight += (total - sum) / (double)count;
}

film_status reasons_of_similarity(struct match *match, film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    double total = verdict->log_odds - verdict->bias - match->identity;
    if (match->decision->encoder->network) { /* inside of it, no word has a share of its own */
        int black_box = match->decision->encoder->network->black_box;
        TRY(add_named(match, black_box ? &of_black_box : &of_network, total, error));
    } else {
        TRY(add_words(match, 0, share_of_similarity, error));
        TRY(add_words(match, 1, share_of_similarity, error));
        settle_sum(match->reasons, match->reason_count, total);
    }
    TRY(add_identity(match, error));
done:
    return status;
}

/* ---- Full decision ---- */

/* The evidence of the features of SIDE, in log-odds; half of it for a shared feature. */
static void share_of_evidence(const struct match *match, int side, double *share)
{
    const struct feature_row *row = &match->survey.reading.side[side].row;
    const struct evidence_sums *sums = &match->survey.sums;
    const struct decision *decision = match->decision;
    const struct features *features = decision->encoder->features;
    const struct reading_features *both = &match->survey.reading.features;
    double scale = decision->margin.scale * decision->evidence.scale;
    for (size_t i = 0, group = 0, next = 0; i < row->count; i++) {
        while (row->id[i] >= features->first[group + 1]) group++;
        int alone = next == both->first_shared[GROUPS] || both->shared[side][next] != i;
        double base = evidence_base(features, (enum group)group, row->id[i], alone);
        next += !alone;
        share[i] = scale * (alone ? 1.0 : 0.5) * base *
                   evidence_factor(sums->squares[group][alone]) *
                   (double)evidence_feature(&decision->evidence, row->id[i], alone);
    }
}

/* Concatenates the words that items can refer to. Their bytes are not adjacent: the words of a
 * contraction or a stem ("won't": will, not) are stored after the folded text. */
static film_status join_words(struct match *match, int side, film_error *error)
{
    const struct tokens *tokens = &match->survey.reading.side[side].row.grams.tokens;
    struct match_words *words = &match->words[side];
    size_t count = tokens->count < ITEMS_MOST_WORDS ? tokens->count : ITEMS_MOST_WORDS, used = 0;
    for (size_t i = 0; i < count; i++) {
        film_text word = token_text(tokens, &tokens->items[i]);
        if (!mem_grow((void **)&words->bytes, &words->capacity, used + word.length + 1, 1))
            return status_no_memory(error);
        words->start[i] = used;
        memcpy(words->bytes + used, word.bytes, word.length);
        used += word.length;
        words->bytes[used++] = ' ';
    }
    words->start[count] = used;
    return FILM_OK;
}

/* Words FROM .. TO of a side as the model reads them, and their bytes in the original. */
static void point_at(const struct match *match, int side, struct item_place place,
                     const char **text, size_t *length, size_t *start, size_t *end)
{
    const struct tokens *tokens = &match->survey.reading.side[side].row.grams.tokens;
    const struct match_words *words = &match->words[side];
    *text = words->bytes + words->start[place.from];
    *length = words->start[place.to] - 1 - words->start[place.from];
    *start = tokens->items[place.from].from;
    *end = tokens->items[place.from].to;
    /* A pair of Chinese characters follows its second one: the first token need not begin first. */
    for (uint32_t i = place.from + 1; i < place.to; i++) {
        if (tokens->items[i].from < *start) *start = tokens->items[i].from;
        if (tokens->items[i].to > *end) *end = tokens->items[i].to;
    }
}

static film_status add_item(struct match *match, size_t number, film_error *error)
{
    const struct decision *decision = match->decision;
    const struct item *item = &match->survey.items.list[number];
    double weight = decision->margin.scale * decision->evidence.scale * (double)item->value *
                    (double)match->survey.items.weight[number];
    if (is_too_weak(match, weight)) return FILM_OK;
    film_reason reason = {.kind = item_kind_name(item->kind),
                          .id = item_kind_id(item->kind),
                          .text = "",
                          .weight = weight};
    int first = match->survey.reading.swapped ? 1 : 0; /* the side that is the caller's a */
    for (int turn = 0; turn < 2; turn++) {
        int side = turn ? !first : first;
        if (item->place[side].from == item->place[side].to) continue;
        if (!reason.side) {
            reason.side = letter(match, side);
            point_at(match, side, item->place[side], &reason.text, &reason.text_length,
                     &reason.start, &reason.end);
        } else {
            reason.other_side = letter(match, side);
            point_at(match, side, item->place[side], &reason.other, &reason.other_length,
                     &reason.other_start, &reason.other_end);
        }
    }
    return add_reason(match, &reason, error);
}

/* Adds term T of the trees, which has two traits. */
static film_status add_two_traits(struct match *match, size_t t, double weight, film_error *error)
{
    if (is_too_weak(match, weight)) return FILM_OK;
    const struct tree_term *term = &match->decision->plan.term[t];
    const struct record_fields *fields = match->decision->encoder->fields;
    const struct trait *low = traits_get(fields, (size_t)term->low),
                       *high = traits_get(fields, (size_t)term->high);
    const char *name = match->decision->term_name[t];
    film_reason reason = {.kind = "trait",
                          .id = low->id,
                          .other_id = high->id,
                          .text = name,
                          .text_length = strlen(name),
                          .weight = weight,
                          .family = trait_family(low),
                          .other_family = trait_family(high)};
    return add_reason(match, &reason, error);
}

/* Adds the terms of the trees and of the line. In the plan, the term of a trait alone comes before
 * its pairs, so the line's term is added to it; where the trees have no term of the trait alone,
 * the line's term is a reason of its own. */
static film_status add_traits(struct match *match, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = match->decision;
    const struct tree_terms_plan *plan = &decision->plan;
    const float *traits = match->survey.traits;
    double scale = decision->margin.scale;
    size_t t = 0; /* of the plan, which is sorted by trait */
    trees_terms(plan, &decision->trees, traits, &match->terms);
    for (size_t trait = 0; trait < traits_total(decision->encoder->fields); trait++) {
        double weight = linear_term(&decision->line, trait, traits);
        for (; t < plan->count && plan->term[t].low == (int32_t)trait; t++) {
            if (plan->term[t].high < 0)
                weight += match->terms.weight[t];
            else
                TRY(add_two_traits(match, t, scale * match->terms.weight[t], error));
        }
        const struct trait *of = traits_get(decision->encoder->fields, trait);
        if (is_too_weak(match, scale * weight)) continue;
        film_reason reason = {.kind = "trait",
                              .id = of->id,
                              .text = of->name,
                              .text_length = strlen(of->name),
                              .weight = scale * weight,
                              .family = trait_family(of)};
        TRY(add_reason(match, &reason, error));
    }
done:
    return status;
}

film_status reasons_of_decision(struct match *match, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = match->decision;
    for (int side = 0; side < 2; side++) {
        TRY(add_words(match, side, share_of_evidence, error));
        TRY(join_words(match, side, error));
    }
    for (size_t i = 0; i < match->survey.items.count; i++) TRY(add_item(match, i, error));
    TRY(add_traits(match, error));
    TRY(add_named(match, &of_network,
                  decision->margin.scale * decision_network(decision, &match->survey), error));
    TRY(add_named(match, &of_parent, decision->margin.scale * match->parent_term, error));
    if (match->rule.memory) {
        enum memory_answer answer = decision_memory(decision, &match->survey);
        TRY(add_named(match, &of_memory[answer], decision->memory.weight[answer], error));
    }
    TRY(add_named(match, &of_matches, match->matches_term, error));
    TRY(add_identity(match, error));
    TRY(add_guarantee(match, error));
done:
    return status;
}
