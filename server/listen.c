/* Turns "HOST:PORT" into a listening socket. Accepts no connection. */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static film_status refuse_address(film_error *error, film_status status, const char *format,
                                  const char *where, const char *why)
{
    snprintf(error->message, sizeof error->message, format, where, why);
    return error->status = status;
}

/* Splits "HOST:PORT", "[HOST]:PORT" or "PORT". Returns 0 for anything else. */
static int split(const char *where, char host[64], char port[6])
{
    const char *colon = strrchr(where, ':');
    const char *digits = colon ? colon + 1 : where;
    size_t length = colon ? (size_t)(colon - where) : 0;
    if (length >= 2 && where[0] == '[' && where[length - 1] == ']') {
        where++;
        length -= 2;
    } else if (memchr(where, ':', length)) {
        return 0; /* an IPv6 address without its brackets */
    }
    if (length >= 64 || !*digits || strlen(digits) > 5 || digits[strspn(digits, "0123456789")] ||
        atoi(digits) > 65535)
        return 0;
    memcpy(host, where, length);
    host[length] = 0;
    if (!length) strcpy(host, "127.0.0.1");
    strcpy(port, digits);
    return 1;
}

static int is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return (ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >>
                24) == 127;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static film_status open_socket(const struct addrinfo *found, const char *where,
                               struct listening *out, film_error *error)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[64], port[8];
    int yes = 1;
    out->socket = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, found->ai_protocol);
    if (out->socket >= 0) setsockopt(out->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (out->socket < 0 || bind(out->socket, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(out->socket, BACKLOG) != 0 ||
        getsockname(out->socket, (struct sockaddr *)&address, &length) != 0) {
        refuse_address(error, FILM_IO, "cannot listen on %s: %s", where, strerror(errno));
        if (out->socket >= 0) close(out->socket);
        out->socket = -1;
        return FILM_IO;
    }
    getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(out->name, sizeof out->name, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
    return FILM_OK;
}

film_status listen_on(const char *where, int check_only, struct listening *out, film_error *error)
{
    char host[64], port[6];
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *found = NULL;
    *out = (struct listening){.socket = -1};
    if (!split(where, host, port))
        return refuse_address(error, FILM_USAGE,
                              "--listen %s: expected HOST:PORT, for example 127.0.0.1:8080%s",
                              where, "");
    int problem = getaddrinfo(host, port, &wanted, &found);
    if (problem)
        return refuse_address(error, FILM_IO, "--listen %s: %s", where, gai_strerror(problem));
    out->local = is_loopback(found->ai_addr);
    film_status status = check_only ? FILM_OK : open_socket(found, where, out, error);
    freeaddrinfo(found);
    return status;
}
