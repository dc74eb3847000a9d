/* Refuses training options that are invalid for every file. What depends on the labels is checked
 * in plan.c. */
#include "train/options.h"
#include "embed/grams.h"
#include "model/examples.h"
#include "learn/operating.h"
#include "pair/match.h"

/* Ranges of the methods' numbers. Conditions are written so that NaN fails them. */
static film_status check_ranges(const film_train_options *options, film_error *error)
{
    const film_solver_options *film = &options->solver;
    const film_rank_options *rank = &options->ranking;
    const film_deep_options *deep = &options->deep;
    const film_paper_options *paper = &options->paper;
    const struct {
        const char *option;
        double value;
        int fits;
        const char *range;
    } numbers[] = {
        /* Negative powers emphasise the strong directions instead of whitening them. */
        {"power", film->power, film->power >= -4 && film->power <= 4, "from -4 to 4"},
        {"margin", film->margin_ratio, film->margin_ratio > 0 && film->margin_ratio <= 1e6,
         "above 0, up to 1e6"},
        {"margin_absolute", paper->margin, paper->margin >= 0 && paper->margin <= 1e6,
         "above 0, up to 1e6"},
        {"epsilon", film->epsilon, film->epsilon >= 0, "0 or more"},
        {"least-change", film->least_change, film->least_change >= 0, "0 or more"},
        {"rho", film->rho, film->rho > 0 && film->rho < 1, "above 0 and below 1"},
        {"gamma", film->gamma, film->gamma >= 0 && film->gamma < 1, "from 0 to below 1"},
        {"shrink", film->shrink, film->shrink > 0 && film->shrink < 1, "above 0 and below 1"},
        {"first-step", film->first_tau, film->first_tau > 0 && film->first_tau <= 1e20,
         "above 0, up to 1e20"},
        {"positives", (double)film->positives, film->positives >= 1 && film->positives <= 1000,
         "from 1 to 1000"},
        {"labelled", (double)film->labelled, film->labelled <= 1000, "up to 1000"},
        {"hard", (double)film->hard, film->hard <= 1000, "up to 1000"},
        {"random", (double)film->random, film->random <= 1000, "up to 1000"},
        /* From here on 0 means the method's default. */
        {"dim", (double)options->dim,
         options->dim <= 4096 || options->method == FILM_METHOD_SVD ||
             options->method == FILM_METHOD_FILM,
         "from 1 to 4096"},
        {"batch", (double)options->batch, options->batch != 1 && options->batch <= 65536,
         "from 2 to 65536"},
        {"tokens", (double)deep->tokens, deep->tokens >= 32 && deep->tokens <= 512,
         "from 32 to 512"},
        {"deep-margin", deep->margin, deep->margin > 0 && deep->margin <= 2, "above 0, up to 2"},
        {"dropout", deep->dropout, deep->dropout >= 0 && deep->dropout < 1, "from 0 to below 1"},
        {"rate", rank->rate, rank->rate >= 0 && rank->rate <= 100, "above 0, up to 100"},
        {"keep-examples", (double)options->keep_examples, options->keep_examples <= EXAMPLES_MOST,
         "up to 10000"},
        {"temperature", rank->temperature, rank->temperature >= 0 && rank->temperature <= 40,
         "above 0, up to 40"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!numbers[i].fits)
            return status_set(error, FILM_USAGE, "%s %g: choose a number %s", numbers[i].option,
                              numbers[i].value, numbers[i].range);
    if (film->iterations == 0 || film->inner == 0)
        return status_set(error, FILM_USAGE, "iterations and inner must be at least 1");
    if (film->eigen > 3 || film->eigen < 1 || paper->weights > 2 || paper->weights < 1 ||
        paper->keep > 2 || paper->keep < 1)
        return status_set(error, FILM_USAGE, "unknown start, weights or iterate to keep");
    if (film->labelled == 0 && film->hard == 0 && film->random == 0)
        return status_set(
            error, FILM_USAGE,
            "labelled, hard and random negatives are all 0; set at least one of them above 0");
    return FILM_OK;
}

film_status options_check_dim(const film_train_options *options, film_method method,
                              film_error *error)
{
    if (method == FILM_METHOD_AUTO || method == FILM_METHOD_RANK || options->dim <= options->rank)
        return FILM_OK;
    return status_set(error, FILM_USAGE,
                      "dim %zu is more than rank %zu; choose a smaller dim or a larger rank",
                      options->dim, options->rank);
}

/* Checks the options of the black box. */
static film_status check_deep(const film_train_options *options, film_error *error)
{
    enum { MOST_PAIRS = 4096, MOST_MAPS = 1024 };
    for (int l = 0; l < 4; l++)
        if (options->deep.maps[l] < 1 || options->deep.maps[l] > MOST_MAPS)
            return status_set(error, FILM_USAGE, "maps: choose four numbers from 1 to %d",
                              MOST_MAPS);
    if (options->deep.loss >= FILM_LOSS_COUNT) return status_set(error, FILM_USAGE, "unknown loss");
    if (options->method != FILM_METHOD_DEEP) return FILM_OK;
    if (!options->bert && !options->vectors)
        return status_set(error, FILM_USAGE,
                          "method deep needs a BERT encoder or word vectors; give one of them");
    if (options->decision == FILM_DECISION_FULL)
        return status_set(error, FILM_USAGE,
                          "method deep has no full decision; leave the method out to learn a "
                          "decision with the same vectors");
    if (options->similarity != FILM_COSINE)
        return status_set(
            error, FILM_USAGE,
            "method deep supports only the similarity cosine; choose it or leave it out");
    if (options->dim)
        return status_set(error, FILM_USAGE,
                          "method deep derives dim from its maps and its input; do not set dim");
    if (options->batch > MOST_PAIRS)
        return status_set(error, FILM_USAGE, "batch %zu: choose at most %d for method deep",
                          options->batch, MOST_PAIRS);
    return FILM_OK;
}

/* Checks the options of word vectors. */
static film_status check_word_vectors(const film_train_options *options, film_error *error)
{
    film_method method = options->method;
    if (!options->vectors) return FILM_OK;
    if (options->bert)
        return status_set(error, FILM_USAGE,
                          "word vectors and a BERT encoder exclude each other; choose one of them");
    if (method != FILM_METHOD_AUTO && method != FILM_METHOD_FILM && method != FILM_METHOD_SVD &&
        method != FILM_METHOD_TFIDF && method != FILM_METHOD_DEEP)
        return status_set(error, FILM_USAGE,
                          "word vectors need method film, svd, tfidf or deep; choose one of them");
    if (options->features && options->features != FILM_WORD)
        return status_set(error, FILM_USAGE,
                          "word vectors need the feature group word; leave the others out");
    return FILM_OK;
}

film_status options_check(const film_train_options *options, film_error *error)
{
    film_status status;
    if (options->paper.letter && options->method != FILM_METHOD_FILM &&
        options->method != FILM_METHOD_MFILM)
        return status_set(error, FILM_USAGE,
                          "the letter of the paper needs method film or mfilm; choose one of them");
    if (options->features >= GROUP_BIT(GROUPS))
        return status_set(error, FILM_USAGE, "features: choose from word, bigram, char");
    if (options->method >= FILM_METHOD_COUNT || options->similarity >= FILM_SIMILARITY_COUNT)
        return status_set(error, FILM_USAGE, "unknown method or similarity");
    if ((options->pair_count || options->sentence_count) && options->method == FILM_METHOD_MFILM)
        return status_set(
            error, FILM_USAGE,
            "method mfilm reads files only, not pairs in memory; choose another method");
    if (options->bert && options->method != FILM_METHOD_AUTO &&
        options->method != FILM_METHOD_FILM && options->method != FILM_METHOD_SVD &&
        options->method != FILM_METHOD_DEEP)
        return status_set(error, FILM_USAGE,
                          "a BERT encoder needs method film, svd or deep; choose one of them");
    if (options->arithmetic > FILM_ARITHMETIC_INT8 || (options->arithmetic && !options->bert))
        return status_set(error, FILM_USAGE,
                          options->bert ? "unknown arithmetic"
                                        : "only a BERT encoder computes with 8 bits; give one");
    status = check_word_vectors(options, error);
    if (status != FILM_OK) return status;
    if (options->rank == 0) return status_set(error, FILM_USAGE, "rank must be at least 1");
    if (options->solver.sample == 0)
        return status_set(error, FILM_USAGE, "sample must be at least 1");
    if (!(options->train_share > 0 && options->train_share <= 1))
        return status_set(error, FILM_USAGE, "the training share must be between 0 and 1");
    double log_odds;
    status = options->prior == FILM_PRIOR_AUTO || options->prior == 0
                 ? FILM_OK
                 : match_prior(options->prior, &log_odds, error);
    if (status == FILM_OK) status = operating_check(&options->operating, error);
    if (status == FILM_OK) status = options_check_dim(options, options->method, error);
    if (status == FILM_OK) status = check_deep(options, error);
    return status == FILM_OK ? check_ranges(options, error) : status;
}
