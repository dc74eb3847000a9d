/* Runs film pool learn, restore and create --from as child processes, one at a time. The server
 * notices the new model or the new pool and reloads. */
#include "background.h"
#include "service.h"
#include "terminal_text.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOWEST_PRIORITY = 19, ARGUMENTS = 12 };

void background_open(struct background *background)
{
    *background = (struct background){.errors = -1};
    pthread_mutex_init(&background->lock, NULL);
}

void background_close(struct background *background)
{
    if (background->pid) {
        kill(background->pid, SIGKILL);
        while (waitpid(background->pid, NULL, 0) < 0 && errno == EINTR) continue;
        close(background->errors);
    }
    private_file_remove(&background->table);
    pthread_mutex_destroy(&background->lock);
}

int background_request(struct background *background, enum background_work work, int force)
{
    pthread_mutex_lock(&background->lock);
    int free = background->work == WORK_NONE;
    if (free) {
        background->work = work;
        background->force = force;
    }
    pthread_mutex_unlock(&background->lock);
    return free;
}

void background_change(struct background *background, enum background_work work)
{
    pthread_mutex_lock(&background->lock);
    background->work = work;
    pthread_mutex_unlock(&background->lock);
}

void background_hide_path(char *message, size_t room, const char *path)
{
    size_t length = strlen(path);
    char rest[600];
    if (!length || strncmp(message, path, length) != 0) return;
    int line = message[length] == ':' && strchr("0123456789", message[length + 1]);
    snprintf(rest, sizeof rest, "%.590s", message + length + line);
    snprintf(message, room, "%s%s", line ? "line " : "the table", rest);
}

void background_recount(struct background *background)
{
    background->counted = 0;
}

/* ---- when to learn ---- */

/* Learning takes longer the more labels there are, so it waits for a tenth more. */
static size_t learn_step(const struct service *service)
{
    size_t after = service->options.learn_after, tenth = service->background.labels / 10;
    return after > tenth ? after : tenth;
}

static void count_labels(struct service *service)
{
    struct background *background = &service->background;
    film_pool *pool = ((struct generation *)atomic_load(&service->current))->pool;
    char *text = NULL;
    background->counted = 1;
    if (!pool || film_pool_models(pool, &text, NULL) != FILM_OK) return;
    json_t *root = json_loads(text, 0, NULL);
    size_t fresh = (size_t)json_integer_value(json_object_get(root, "new_labels"));
    atomic_store(&background->added, 0);
    background->labels = (size_t)json_integer_value(json_object_get(root, "labels"));
    if (!background->next) background->next = background->labels - fresh + learn_step(service);
    json_decref(root);
    film_free(text);
}

static size_t labels_now(const struct background *background)
{
    return background->labels + atomic_load(&background->added);
}

/* The model of a pool in a database cannot be replaced. */
static int is_due(const struct service *service)
{
    const struct background *background = &service->background;
    return service->options.learn_after && !service->options.read_only && background->next &&
           !film_pool_is_uri(service->options.path) && labels_now(background) >= background->next;
}

/* ---- the child ---- */

/* Between fork and exec only calls that are safe in a signal handler: other threads may hold the
 * locks of the C library. */
static void become(char *const *arguments, int errors, int nothing, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY);
    if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(errors, 2) < 0) _exit(1);
    execv("/proc/self/exe", arguments);
    _exit(127);
}

static int spawn(struct background *background, char *const *arguments)
{
    int ends[2], nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_t parent = getpid();
    if (nothing < 0) return 0;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        close(nothing);
        return 0;
    }
    pid_t pid = fork();
    if (pid == 0) become(arguments, ends[1], nothing, parent);
    close(nothing);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return 0;
    }
    background->pid = pid;
    background->errors = ends[0];
    return 1;
}

static void end_work(struct background *background, const char *format, const char *what)
{
    pthread_mutex_lock(&background->lock);
    snprintf(background->problem, sizeof background->problem, format, what);
    background->work = WORK_NONE;
    pthread_mutex_unlock(&background->lock);
}

static void start_work(struct service *service, enum background_work work)
{
    static const char *const actions[] = {
        [WORK_LEARN] = "learn", [WORK_RESTORE] = "restore", [WORK_START] = "create"};
    struct background *background = &service->background;
    const char *list[ARGUMENTS] = {"film", "pool", actions[work], service->options.path};
    char threads[16];
    size_t count = 4;
    background->next = labels_now(background) + learn_step(service); /* also after a failure */
    snprintf(threads, sizeof threads, "%d", service->options.threads);
    if (work == WORK_LEARN && background->force) list[count++] = "--force";
    if (work == WORK_START) list[count++] = "--from";
    if (work == WORK_START) list[count++] = background->table.path;
    if (work != WORK_RESTORE && service->options.start) {
        list[count++] = "--start";
        list[count++] = service->options.start;
    }
    list[count++] = "--threads";
    list[count++] = threads;
    list[count++] = "--quiet";
    if (spawn(background, (char *const *)list)) return;
    int cause = errno;
    private_file_remove(&background->table); /* before a request may write the next one */
    end_work(background, "cannot start another process: %s", strerror(cause));
}

/* Keeps the first line that the child printed, without "film: ". */
static void read_problem(struct background *background, char problem[500])
{
    static const char name[] = "film: ";
    ssize_t length = read(background->errors, problem, 499);
    problem[length > 0 ? length : 0] = 0;
    problem[strcspn(problem, "\n")] = 0;
    if (strncmp(problem, name, sizeof name - 1) == 0)
        memmove(problem, problem + sizeof name - 1, strlen(problem) - sizeof name + 2);
}

/* Removes the table of a start, whose name is not the user's. */
static void close_start(struct background *background, char problem[500])
{
    if (background->table.path) background_hide_path(problem, 500, background->table.path);
    private_file_remove(&background->table);
}

/* Before the end of the work is announced, the server uses the new model. */
static void collect_work(struct service *service)
{
    struct background *background = &service->background;
    siginfo_t ended = {.si_pid = 0};
    int result = 0;
    char problem[500];
    if (waitid(P_PID, (id_t)background->pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid == 0 || service_outdated(service))
        return;
    waitpid(background->pid, &result, 0);
    read_problem(background, problem);
    close_start(background, problem);
    close(background->errors);
    background->pid = 0;
    background->errors = -1;
    background_recount(background);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
        problem[0] = 0;
    else if (!problem[0])
        snprintf(problem, sizeof problem, "the process was killed; is memory short?");
    if (problem[0])
        print_clean(stderr, "film: %s failed: %s\n",
                    service->background.work == WORK_START ? "building the pool" : "learning",
                    problem);
    end_work(background, "%s", problem);
}

void background_step(struct service *service)
{
    struct background *background = &service->background;
    if (background->pid) {
        collect_work(service);
        return;
    }
    if (!background->counted) count_labels(service);
    pthread_mutex_lock(&background->lock);
    enum background_work work = background->work;
    pthread_mutex_unlock(&background->lock);
    if (work == WORK_NONE && is_due(service) && background_request(background, WORK_LEARN, 0))
        work = WORK_LEARN;
    if (work != WORK_NONE && work != WORK_WRITING) start_work(service, work);
}
