/* Runs a fuzz target over its stored corpus, so that ordinary test runs repeat every input that
 * ever mattered. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    uint8_t *data = NULL;
    size_t size = 0, got;
    do {
        uint8_t *larger = realloc(data, size + 65536);
        if (!larger) break;
        data = larger;
        got = fread(data + size, 1, 65536, file);
        size += got;
    } while (got);
    fclose(file);
    /* An exact copy, so that the address sanitizer detects an overrun. */
    uint8_t *exact = malloc(size ? size : 1);
    for (size_t i = 0; exact && i < size; i++) exact[i] = data[i];
    if (exact) LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    return 1;
}

int main(void)
{
    int count = 0;
    DIR *folder = opendir(FUZZ_CORPUS);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", FUZZ_CORPUS, entry->d_name);
        if (entry->d_name[0] != '.') count += replay(path);
    }
    if (folder) closedir(folder);
    printf("1..1\n%s 1 - %d inputs of %s replayed\n", count ? "ok" : "not ok", count, FUZZ_CORPUS);
    return count ? 0 : 1;
}
