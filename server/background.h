/* Work that takes seconds, in another process: film pool learn and film pool restore, at low
 * priority. Requests ask for it; the thread that waits for signals starts it and collects the
 * result. A server that is killed takes its child with it. */
#ifndef SERVER_BACKGROUND_H
#define SERVER_BACKGROUND_H

#include "private_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

struct service;

/* WRITING: a request writes the table that START builds the pool from. */
enum background_work { WORK_NONE, WORK_LEARN, WORK_RESTORE, WORK_START, WORK_WRITING };

struct background {
    pthread_mutex_t lock;      /* protects the following */
    enum background_work work; /* requested or running */
    int force;
    /* WRITING and START: the table that was sent. Of the request while it is WRITING. */
    struct private_file table;
    char problem[500]; /* why the last work failed; empty: it did not */
    /* Used by the thread that waits for signals only: */
    pid_t pid;     /* 0: not started */
    int errors;    /* reads what the child prints */
    int counted;   /* `labels` is known */
    size_t labels; /* in the pool, when they were counted */
    size_t next;   /* the number of labels at which learning starts by itself; 0: not known */
    /* Labels stored since they were counted. */
    atomic_size_t added;
};

void background_open(struct background *background);
/* Ends the child, which leaves the pool as it was or with the complete new model. */
void background_close(struct background *background);

/* Requests work. Returns 0 while there is some already. */
int background_request(struct background *background, enum background_work work, int force);

/* Replaces the work that the caller has requested. */
void background_change(struct background *background, enum background_work work);

/* Replaces "PATH:3: " in a message by "line 3: ". */
void background_hide_path(char *message, size_t room, const char *path);

/* Starts what was requested, or learning when there are enough new labels; collects the result of a
 * child that has ended. Never waits. */
void background_step(struct service *service);

/* The pool may have labels that this server did not store: they are counted again. */
void background_recount(struct background *background);

#endif
