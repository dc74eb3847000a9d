/* film.h: checks the arguments, then one call down. */
#include "film.h"

#include <string.h>

film_text film_string(const char *text)
{
    return (film_text){text, strlen(text)};
}
