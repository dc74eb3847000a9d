/* Creates the tables of a pool in PostgreSQL and checks their version. Rows are read and written in
 * pull.c and push.c. */
#include "remote/tables.h"

#include <string.h>

/* The tables of SQLite (store/schema.c), with the constraints that PostgreSQL can check. Texts stay
 * texts: jsonb would return another `more` than was stored. The writer assigns numbers; it holds
 * the row of `counter` and is therefore alone, so whoever sees a change sees all earlier ones.
 * `written` has a row per transaction: a writer that lost its connection during COMMIT looks for
 * its token there, and a copy checks whether the database still has its last change. */
static const char tables_sql[] =
    "CREATE TABLE version (version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now());"
    "CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL);"
    "CREATE TABLE model (chunk bigint PRIMARY KEY, bytes bytea NOT NULL);"
    "ALTER TABLE model ALTER bytes SET STORAGE EXTERNAL;"
    "CREATE TABLE sentence (number bigint PRIMARY KEY CHECK (number > 0),"
    " id text COLLATE \"C\" NOT NULL UNIQUE CHECK (octet_length(id) BETWEEN 1 AND 1000),"
    " text text NOT NULL CHECK (text <> ''), category text, answer text, url text, more text,"
    " change bigint NOT NULL UNIQUE CHECK (change > 0), checksum bigint NOT NULL);"
    "CREATE TABLE removed (change bigint PRIMARY KEY CHECK (change > 0), number bigint NOT NULL);"
    "CREATE TABLE label (a bigint NOT NULL REFERENCES sentence ON DELETE CASCADE,"
    " b bigint NOT NULL REFERENCES sentence ON DELETE CASCADE, same boolean NOT NULL,"
    " made text NOT NULL, origin text NOT NULL, change bigint NOT NULL UNIQUE,"
    " PRIMARY KEY (a, b), CHECK (a < b));"
    "CREATE INDEX label_b ON label (b);"
    "CREATE TABLE written (change bigint PRIMARY KEY, token text NOT NULL,"
    " writer name NOT NULL DEFAULT session_user, made timestamptz NOT NULL DEFAULT now());"
    "CREATE TABLE counter (one boolean PRIMARY KEY DEFAULT true CHECK (one),"
    " change bigint NOT NULL, token text NOT NULL);";

static const char vectors_sql[] =
    "DO $$ DECLARE place name; dim integer := (SELECT value FROM setting WHERE name = 'dim');"
    " BEGIN SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n"
    " ON n.oid = e.extnamespace WHERE e.extname = 'vector';"
    " IF place IS NOT NULL AND dim BETWEEN 1 AND 16000 THEN"
    " EXECUTE format('ALTER TABLE sentence ADD vector %I.vector(%s)', place, dim);"
    " INSERT INTO setting VALUES ('vectors', 'pgvector');"
    " ELSE ALTER TABLE sentence ADD vector bytea;"
    " ALTER TABLE sentence ALTER vector SET STORAGE EXTERNAL;"
    " INSERT INTO setting VALUES ('vectors', 'bytea'); END IF; END $$";

#define SCHEMA "coalesce(nullif(current_setting('film.schema', true), ''), 'film')"

static const char schema_sql[] =
    "DO $$ BEGIN EXECUTE format('CREATE SCHEMA %I', " SCHEMA "); END $$";

/* Returns whether the schema and the pool exist. Binary booleans are one byte. */
static film_status find_tables(struct session *session, int *schema, int *pool, film_error *error)
{
    static const char sql[] = "SELECT to_regnamespace(quote_ident(" SCHEMA ")) IS NOT NULL,"
                              " to_regclass(quote_ident(" SCHEMA ") || '.version') IS NOT NULL";
    PGresult *result = NULL;
    film_status status = session_query(session, sql, NULL, 0, &result, error);
    if (status != FILM_OK) return status;
    *schema = session_flag(result, 0, 0);
    *pool = session_flag(result, 0, 1);
    libpq.PQclear(result);
    return FILM_OK;
}

/* Held until the end of the transaction; the number is "film" in ASCII. */
static film_status lock(struct session *session, film_error *error)
{
    static const char sql[] = "SELECT pg_advisory_xact_lock(1718185069)";
    return session_query(session, sql, NULL, 0, NULL, error);
}

film_status tables_create(struct session *session, film_error *error)
{
    film_status status = FILM_OK;
    static const char sql[] = "INSERT INTO version (version) VALUES ($1::bigint)";
    struct cell cell;
    char room[8];
    int schema, pool;
    TRY(lock(session, error));
    TRY(find_tables(session, &schema, &pool, error));
    if (pool)
        TRY(status_set(error, FILM_IO,
                       "%s has a pool already; drop its schema or choose another database",
                       session->place->name));
    if (!schema) TRY(session_run(session, schema_sql, error));
    TRY(session_run(session, tables_sql, error));
    row_put_number(&cell, room, TABLES_VERSION);
    TRY(session_query(session, sql, &cell, 1, NULL, error));
done:
    return status;
}

film_status tables_add_vectors(struct session *session, film_error *error)
{
    return session_run(session, vectors_sql, error);
}

static film_status read_version(struct session *session, int64_t *version, film_error *error)
{
    static const char sql[] = "SELECT coalesce(max(version), 0)::bigint FROM version";
    PGresult *result = NULL;
    film_status status = session_query(session, sql, NULL, 0, &result, error);
    if (status == FILM_OK) status = row_number(session_cell(result, 0, 0), version, error);
    libpq.PQclear(result);
    return status;
}

film_status tables_open(struct session *session, film_error *error)
{
    film_status status = FILM_OK;
    int schema, pool;
    int64_t version;
    TRY(find_tables(session, &schema, &pool, error));
    if (!pool)
        TRY(status_set(error, FILM_BAD_INPUT, "%s has no pool; create one first",
                       session->place->name));
    TRY(read_version(session, &version, error));
    if (version != TABLES_VERSION)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is a pool of version %lld; this program reads version %d; export its "
                       "sentences and labels with the program that wrote it, and create a new pool",
                       session->place->name, (long long)version, TABLES_VERSION));
done:
    return status;
}
