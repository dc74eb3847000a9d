/* Fuzzes the file of an index with correct checksums and arbitrary content: it is refused with a
 * message, or a search in it returns sentences that exist. The first byte selects the file (bit 0:
 * with a graph); changes follow, 6 bytes each (tests/lib/spoil.h). The length also selects the
 * sentence that is searched for. */
#include "arena.h"
#include "changed.h"
#include "index/index_file.h"
#include "model/model.h"

enum { SENTENCES = 8, DEGREE = 3 };

static struct changed changed[2];
static film_model *model;
static const struct index_tie tie = {"pool", "model", 7, "1:2 3:4 "};
static const char *const texts[SENTENCES] = {"w00 the w01", "how w02 w03", "w11 w12 the", "",
                                             "w00 w00",     "w20 how w21", "w31 w32",     "zebra"};

static film_text text_at(size_t i)
{
    return film_string(texts[i]);
}

static void write_file(const char *path)
{
    struct index *index = NULL;
    film_text list[SENTENCES];
    int64_t numbers[SENTENCES];
    uint32_t gone = 2;
    for (size_t i = 0; i < SENTENCES; i++) list[i] = text_at(i), numbers[i] = (int64_t)i + 1;
    require(index_new(&model->encoder, &index, NULL) == FILM_OK);
    require(index_add(index, list, SENTENCES, 1, NULL, NULL) == FILM_OK);
    require(index_remove(index, &gone, 1, 1, NULL) == FILM_OK);
    require(index_file_save(path, index, numbers, &tie, NULL) == FILM_OK);
    index_free(index);
}

static void add_tensor(struct spoil *spoil, const char *name, const void *data, uint64_t rows,
                       uint64_t columns)
{
    struct safetensors_tensor tensor = {
        .name = name, .type = SAFETENSORS_U32, .dims = columns ? 2 : 1, .shape = {rows, columns}};
    require(safetensors_size(tensor.type, tensor.dims, tensor.shape, &tensor.bytes));
    tensor.data = memcpy(malloc(tensor.bytes + 8), data, tensor.bytes);
    spoil->tensor[spoil->count++] = tensor;
}

/* An index of many sentences has a graph; here the few get one. */
static void add_graph(struct spoil *spoil)
{
    size_t dim = encoder_dim(&model->encoder);
    struct graph_options options = {.dim = dim, .degree = DEGREE, .width = 8};
    float vectors[SENTENCES * 16];
    film_text list[SENTENCES];
    struct graph *graph = NULL;
    require(dim <= 16 && graph_new(&options, &graph, NULL) == FILM_OK);
    for (size_t i = 0; i < SENTENCES; i++) list[i] = text_at(i);
    require(encoder_embed_all(&model->encoder, list, SENTENCES, 1, vectors, NULL) == FILM_OK);
    require(graph_add(graph, vectors, SENTENCES, 1, NULL, NULL) == FILM_OK);
    struct graph_view view = graph_view(graph);
    memcpy((void *)spoil_find(spoil, "dense.codes")->data, view.codes.rows,
           view.codes.count * view.codes.stride);
    memcpy((void *)spoil_find(spoil, "dense.state")->data, view.state, view.codes.count);
    add_tensor(spoil, "dense.links", view.links, SENTENCES, view.degree);
    add_tensor(spoil, "dense.twin", view.twin, SENTENCES, 0);
    add_tensor(spoil, "dense.entry", view.entry, view.entries, 0);
    graph_free(graph);
}

static void make_good(void)
{
    char folder[100], path[120];
    memory_folder(folder);
    model = small_model(folder);
    for (int graph = 0; graph < 2; graph++) {
        snprintf(path, sizeof path, "%s/index%d", folder, graph);
        write_file(path);
        require(spoil_open(&changed[graph].good, path));
        if (graph) add_graph(&changed[graph].good);
        changed_start(&changed[graph], path);
        unlink(path);
    }
    rmdir(folder);
}

static void search(const struct index *index, size_t size)
{
    struct index_searcher *searcher = NULL;
    struct index_candidate found[4];
    size_t count;
    require(index_searcher_new(index, &searcher, NULL) == FILM_OK);
    for (size_t i = 0; i < 3; i++) {
        if (!chosen(size, 3, i)) continue;
        require(index_candidates_text(index, searcher, text_at(i), 4, found, &count, NULL) ==
                FILM_OK);
        require(count <= 4);
        for (size_t f = 0; f < count; f++) require(found[f].id < index_count(index));
    }
    index_searcher_free(searcher);
}

/* An index whose every value was checked can change. */
static void grow(struct index *index, size_t size)
{
    film_text more = film_string("w01 w40");
    uint32_t gone = 0;
    require(index_add(index, &more, 1, 1, NULL, NULL) == FILM_OK);
    require(index_remove(index, &gone, 1, 1, NULL) == FILM_OK);
    require(index_settle(index, NULL) == FILM_OK && index_check(index, NULL) == FILM_OK);
    search(index, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct index_file file;
    struct change change;
    film_error error = {0};
    if (size == 0) return 0;
    if (!model) make_good();
    struct changed *now = &changed[data[0] & 1];
    changed_begin(&change, now, "recent", data + 1, size - 1);
    arena_begin();
    film_status status = index_file_open(now->path, &model->encoder, &tie, 0, &file, &error);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
    if (status == FILM_OK) {
        search(file.index, size);
        if (index_file_verify(&file, now->path, &error) == FILM_OK) grow(file.index, size);
        index_file_close(&file);
    }
    arena_end();
    changed_end(&change, now);
    return 0;
}
