/* Fuzzes a connection: whatever a client sends, every response is HTTP, and after the client has
 * left, no request, buffer or connection remains. The first byte: bytes sent at a time (bits 0 to
 * 5; 0: all), whether a token is needed (bit 6), whether Host must be local (bit 7). Everything
 * runs on one thread. */
#include "served.h"
#include "server/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

static struct http http;
static char received[1 << 16];
static size_t received_bytes;

/* A queue without threads: the task runs at once. */
int __wrap_work_queue_push(struct work_queue *queue, struct task *task);
int __wrap_work_queue_push(struct work_queue *queue, struct task *task)
{
    (void)queue;
    task->run(task);
    return 1;
}

static void start(void)
{
    served_start(&(struct service_options){.threads = 1,
                                           .read_only = 1,
                                           .limits = {.body = 1 << 14,
                                                      .buffer = 1 << 15,
                                                      .texts = 50,
                                                      .sentence = 2000,
                                                      .header = 4096,
                                                      .connections = 4,
                                                      .queue = 4,
                                                      .timeout = 60,
                                                      .deadline = 60}});
    http.service = &service;
    http.connections.most = 4;
    http.connections.patience = 60;
    http.connections.away = &service.away;
    pthread_mutex_init(&http.connections.lock, NULL);
    require(http_start_server(&http, &http.servers[0], 0));
    http.server_count = 1;
}

/* Receives what there is; only the beginning is kept. Returns 0 after the end. */
static int receive(int client)
{
    char bytes[4096];
    for (;;) {
        ssize_t got = recv(client, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        size_t room = sizeof received - received_bytes;
        size_t kept = (size_t)got < room ? (size_t)got : room;
        memcpy(received + received_bytes, bytes, kept);
        received_bytes += kept;
    }
}

static int work(int client)
{
    require(MHD_run(http.servers[0].daemon) == MHD_YES);
    return receive(client);
}

static int connect_client(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    require(connections_admit(&http.connections, 4));
    atomic_fetch_add(&http.servers[0].connections, 1);
    require(MHD_add_connection(http.servers[0].daemon, ends[1], (struct sockaddr *)&address,
                               sizeof address) == MHD_YES);
    return ends[0];
}

static void check_response(void)
{
    if (received_bytes == 0) return;
    require(received_bytes > 12 && memcmp(received, "HTTP/1.", 7) == 0 && received[8] == ' ');
    for (int i = 9; i < 12; i++) require(received[i] >= '0' && received[i] <= '9');
    require(received[9] >= '1' && received[9] <= '5');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_ROUNDS = 10000 };
    if (!http.service) start();
    if (size == 0) return 0;
    size_t step = data[0] & 63 ? data[0] & 63 : size, at = 1;
    service.options.token = data[0] & 64 ? "secret" : NULL;
    service.options.local = data[0] >> 7;
    received_bytes = 0;
    int client = connect_client(), open = 1;
    for (int round = 0; open && at < size; round++) {
        size_t count = size - at < step ? size - at : step;
        ssize_t sent = send(client, data + at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) break;
        at += sent > 0 ? (size_t)sent : 0;
        open = work(client);
        require(round < MOST_ROUNDS);
    }
    shutdown(client, SHUT_WR);
    for (int round = 0; open && atomic_load(&service.in_flight) && round < 100; round++)
        open = work(client);
    while (open && work(client) && received_bytes == 0 && at < size) {
    }
    close(client);
    for (int round = 0; atomic_load(&http.connections.count) && round < 100; round++)
        MHD_run(http.servers[0].daemon);
    check_response();
    require(atomic_load(&http.connections.count) == 0 && !http.connections.list);
    require(atomic_load(&service.in_flight) == 0 && atomic_load(&service.buffered) == 0);
    return 0;
}
