/* Draws sentences of a pool at random, for review and thresholds. It finds no neighbours and judges
 * nothing. */
#include "pool/sample.h"
#include "base/mem.h"
#include "base/sort.h"

/* Reservoir sampling of positions: after any number of sentences, each is in the sample equally
 * often. A second pass reads the sentences. */
struct sample_drawing {
    struct rng *rng;
    uint64_t *positions;
    size_t count, room;
    uint64_t seen;
};

static int draw_position(void *user, const film_sentence *sentence)
{
    struct sample_drawing *drawing = user;
    uint64_t at = drawing->seen++;
    (void)sentence;
    if (drawing->count < drawing->room) {
        drawing->positions[drawing->count++] = at;
    } else {
        uint64_t place = rng_below(drawing->rng, at + 1);
        if (place < drawing->room) drawing->positions[place] = at;
    }
    return 0;
}

static int by_drawn_position(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

struct taking {
    struct batch *out;
    const uint64_t *positions;
    size_t count, next;
    uint64_t at;
    film_status status;
    film_error *error;
};

static int take_drawn(void *user, const film_sentence *sentence)
{
    struct taking *taking = user;
    if (taking->next == taking->count) return 1;
    if (taking->at++ != taking->positions[taking->next]) return 0;
    film_sentence kept = {.id = sentence->id, .text = sentence->text};
    taking->next++;
    taking->status = batch_add(taking->out, &kept, 0, taking->error);
    return taking->status != FILM_OK;
}

static void shuffle_rows(struct batch *batch, struct rng *rng)
{
    for (size_t i = batch->count; i > 1; i--) {
        size_t other = (size_t)rng_below(rng, i);
        film_sentence kept = batch->rows[i - 1];
        batch->rows[i - 1] = batch->rows[other];
        batch->rows[other] = kept;
    }
}

film_status sample_sentences(film_pool *pool, struct rng *rng, size_t room, struct batch *out,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct sample_drawing drawing = {.rng = rng, .room = room};
    TRY_ALLOC(drawing.positions = mem_array(room, sizeof *drawing.positions), error);
    TRY(film_pool_list(pool, NULL, draw_position, &drawing, error));
    sort_array(drawing.positions, drawing.count, sizeof *drawing.positions, by_drawn_position);
    struct taking taking = {
        .out = out, .positions = drawing.positions, .count = drawing.count, .error = error};
    TRY(film_pool_list(pool, NULL, take_drawn, &taking, error));
    TRY(taking.status);
    shuffle_rows(out, rng);
done:
    mem_free(drawing.positions);
    return status;
}
