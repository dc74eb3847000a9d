/* Checks a graph from a file before anything follows its links. It repairs nothing: an invalid
 * graph is rebuilt. */
#include "index/graph_parts.h"
#include "base/mem.h"

#include <math.h>

static film_status refuse_row(film_error *error, size_t row, const char *what)
{
    return status_set(error, FILM_BAD_INPUT, "graph: row %zu: %s", row, what);
}

film_status graph_check_sizes(const struct graph_view *view, film_error *error)
{
    const struct codes *codes = &view->codes;
    if (codes->count > GRAPH_MAX_ROWS)
        return status_set(error, FILM_BAD_INPUT, "graph: invalid row count %zu", codes->count);
    if (codes->dim == 0 || codes->dim > CODES_MAX_DIM || codes->stride != codes_stride(codes->dim))
        return status_set(error, FILM_BAD_INPUT,
                          "graph: invalid row size: %zu bytes for %zu dimensions", codes->stride,
                          codes->dim);
    if (view->degree < 2 || view->degree > GRAPH_MAX_DEGREE)
        return status_set(error, FILM_BAD_INPUT, "graph: invalid link count %zu; expected 2 to %d",
                          view->degree, GRAPH_MAX_DEGREE);
    if (view->entries > codes->count)
        return status_set(error, FILM_BAD_INPUT, "graph: invalid entry count: %zu of %zu rows",
                          view->entries, codes->count);
    return FILM_OK;
}

/* Checks states, scales and codes, and counts the rows. */
static film_status check_rows(const struct graph_view *view, struct graph_report *report,
                              film_error *error)
{
    for (size_t row = 0; row < view->codes.count; row++) {
        float scale = codes_scale(&view->codes, row);
        switch (view->state[row]) {
        case GRAPH_LINKED:
            report->linked++;
            break;
        case GRAPH_DEAD:
            report->dead++;
            break;
        case GRAPH_TWIN:
            report->twins++;
            break;
        default:
            return refuse_row(error, row, "not linked, deleted or a twin");
        }
        if (!(scale >= 0) || !isfinite(scale)) return refuse_row(error, row, "invalid scale");
        /* -128 is never written, and the kernels' arithmetic counts on that */
        if (memchr(view->codes.rows + row * view->codes.stride, 0, view->codes.dim))
            return refuse_row(error, row, "invalid code");
    }
    return FILM_OK;
}

/* SEEN[id] is 1 + the last row whose list contains id: finds duplicate links in one pass. */
static film_status check_links(const struct graph_view *view, uint32_t *seen,
                               struct graph_report *report, film_error *error)
{
    for (size_t row = 0; row < view->codes.count; row++) {
        const uint32_t *links = view->links + row * view->degree;
        size_t degree = graph_degree(links, view->degree);
        if (degree && view->state[row] != GRAPH_LINKED)
            return refuse_row(error, row, "has links but is deleted or a twin");
        for (size_t i = 0; i < degree; i++) {
            if (links[i] >= view->codes.count) return refuse_row(error, row, "link out of range");
            if (links[i] == row) return refuse_row(error, row, "link to itself");
            if (view->state[links[i]] != GRAPH_LINKED)
                return refuse_row(error, row, "link to a deleted row or a twin");
            if (seen[links[i]] == row + 1) return refuse_row(error, row, "duplicate link");
            seen[links[i]] = (uint32_t)row + 1;
        }
        for (size_t i = degree; i < view->degree; i++)
            if (links[i] != GRAPH_NONE) return refuse_row(error, row, "link after the last one");
        report->links += degree;
    }
    return FILM_OK;
}

/* Rings: TWIN is a permutation; a ring has equal codes and one linked row. */
static film_status check_twins(const struct graph_view *view, uint8_t *seen,
                               struct graph_report *report, film_error *error)
{
    size_t count = view->codes.count, ringed = 0;
    for (size_t row = 0; row < count; row++) {
        uint32_t next = view->twin[row];
        if (next >= count) return refuse_row(error, row, "twin out of range");
        if (seen[next]) return refuse_row(error, row, "twin of two rows");
        seen[next] = 1;
        if (view->state[row] == GRAPH_DEAD && next != row)
            return refuse_row(error, row, "deleted but has a twin");
    }
    for (size_t row = 0; row < count; row++) {
        if (view->state[row] != GRAPH_LINKED) continue;
        size_t size = 1;
        for (size_t other = view->twin[row]; other != row; other = view->twin[other], size++)
            if (view->state[other] != GRAPH_TWIN || !codes_equal(&view->codes, row, other))
                return refuse_row(error, row, "twin has a different vector");
        ringed += size - 1;
        if (size > report->most_twins) report->most_twins = size;
    }
    if (ringed != report->twins)
        return status_set(error, FILM_BAD_INPUT, "graph: %zu twins belong to no linked row",
                          report->twins - ringed);
    return FILM_OK;
}

static film_status check_entries(const struct graph_view *view, const struct graph_report *report,
                                 film_error *error)
{
    if (report->linked && !view->entries)
        return status_set(error, FILM_BAD_INPUT, "graph: no entry row");
    for (size_t i = 0; i < view->entries; i++) {
        if (view->entry[i] >= view->codes.count || view->state[view->entry[i]] != GRAPH_LINKED)
            return status_set(error, FILM_BAD_INPUT, "graph: entry %zu is not a linked row", i);
        if (i && view->entry[i] <= view->entry[i - 1])
            return status_set(error, FILM_BAD_INPUT, "graph: entry %zu is not in ascending order",
                              i);
    }
    return FILM_OK;
}

film_status graph_check(const struct graph_view *view, struct graph_report *report,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct graph_report own = {0};
    uint32_t *queue = NULL;
    uint8_t *seen = NULL;
    if (!report) report = &own;
    *report = own;
    TRY(graph_check_sizes(view, error));
    TRY_ALLOC((queue = mem_zeroed(view->codes.count, sizeof *queue)) &&
                  (seen = mem_zeroed(view->codes.count, 1)),
              error);
    TRY(check_rows(view, report, error));
    TRY(check_links(view, queue, report, error));
    TRY(check_twins(view, seen, report, error));
    TRY(check_entries(view, report, error));
    if (view->codes.count) memset(seen, 0, view->codes.count);
    for (size_t i = 0; i < view->entries; i++) {
        queue[i] = view->entry[i];
        seen[view->entry[i]] = 1;
    }
    report->reached = graph_flood(view, seen, queue, 0, view->entries);
    if (report->reached < report->linked - report->linked / 20)
        status = status_set(error, FILM_BAD_INPUT, "graph: only %zu of %zu rows are reachable",
                            report->reached, report->linked);
done:
    mem_free(queue);
    mem_free(seen);
    return status;
}
