/* Fuzzes the table of other systems (film report --compare). The first byte is the size of reads.
 * Besides memory errors it checks that values are within bounds and do not depend on the size of
 * reads, and that messages name the file. */
#include "arena.h"
#include "report/systems.h"
#include "base/utf8.h"

#include <math.h>

static film_status read_some(const uint8_t *data, size_t size, size_t chunk,
                             struct systems *systems, film_error *error)
{
    struct source *source;
    film_status status = source_open_bytes(data, size, "x.csv", chunk, &source, error);
    if (status == FILM_OK) status = systems_read(systems, source, error);
    return status;
}

static void check_system(const struct system_figures *system)
{
    require(system->name[0]);
    const char *const texts[] = {system->name, system->model, system->explained};
    for (int i = 0; i < 3; i++) require(utf8_valid(texts[i], strlen(texts[i]), NULL));
    for (int f = 0; f < SYSTEMS_FIGURES; f++)
        require(isnan(system->figure[f]) ||
                (isfinite(system->figure[f]) && system->figure[f] >= 0));
    require(!(system->figure[SYSTEMS_ACCURACY] > 100) &&
            !(system->figure[SYSTEMS_EXPLAINED] > 100));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct systems whole = {0}, parts = {0};
    film_error error = {FILM_OK, ""}, other = {FILM_OK, ""};
    if (size < 1) return 0;
    arena_begin();
    film_status status = read_some(data + 1, size - 1, 0, &whole, &error);
    require(read_some(data + 1, size - 1, (size_t)data[0] + 1, &parts, &other) == status);
    require(whole.count == parts.count && whole.count <= SYSTEMS_MOST);
    require((status == FILM_OK) == (whole.count > 0));
    if (status != FILM_OK) require(strncmp(error.message, "x.csv:", 6) == 0);
    if (status != FILM_OK) require(utf8_valid(error.message, strlen(error.message), NULL));
    for (size_t i = 0; i < whole.count; i++) {
        check_system(&whole.list[i]);
        require(strcmp(whole.list[i].name, parts.list[i].name) == 0);
        for (int f = 0; f < SYSTEMS_FIGURES; f++)
            require(isnan(whole.list[i].figure[f])
                        ? isnan(parts.list[i].figure[f])
                        : whole.list[i].figure[f] == parts.list[i].figure[f]);
    }
    systems_free(&whole);
    systems_free(&parts);
    arena_end();
    return 0;
}
