/* Name, library and summary of each verb. main.c lists them without loading the verb's library;
 * the verb's struct begins with the same values. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#define VERB_TRAIN "train", LIBRARY_TRAIN, "Train a model on sentences, with or without labels"
#define VERB_EVAL "eval", LIBRARY_TRAIN, "Evaluate a model on a labelled file"
#define VERB_MATCH \
    "match", LIBRARY_FILM, "Decide whether two sentences mean the same, and explain why"
#define VERB_EXPLAIN \
    "explain", LIBRARY_FILM, "Explain a verdict, a word, a dimension or the whole model"
#define VERB_EDIT \
    "edit", LIBRARY_FILM, "Change a weight or a relation of a model, and see which verdicts change"
#define VERB_PREDICT "predict", LIBRARY_FILM, "Compute a probability for every pair of a file"
#define VERB_CLASSIFY \
    "classify", LIBRARY_POOL, "Find the category of a sentence, or none, and explain why"
#define VERB_EMBED "embed", LIBRARY_FILM, "Compute sentence vectors and write them as a NumPy array"
#define VERB_SPLIT \
    "split", LIBRARY_TRAIN, "Split a file into train and dev sets that share no question"
#define VERB_POOL "pool", LIBRARY_POOL, "Manage a searchable collection of sentences (a pool)"
#define VERB_SEARCH "search", LIBRARY_POOL, "Search a pool for sentences with the same meaning"
#define VERB_DEDUP "dedup", LIBRARY_POOL, "Find clusters of duplicates in a file or pool"
#define VERB_LINK "link", LIBRARY_POOL, "Match the records of one file with those of another"
#define VERB_SERVE "serve", LIBRARY_POOL, "Serve a model or pool over HTTP, with a web page"
#define VERB_REPORT \
    "report", LIBRARY_TRAIN, "Write an HTML report on a model: accuracy, errors, data"
#define VERB_PAGE \
    "page", LIBRARY_FILM, "Write a web page with a model inside, which needs no server"
#define VERB_INFO "info", LIBRARY_FILM, "Print the settings, sizes and training figures of a model"
#define VERB_COMPLETIONS \
    "completions", LIBRARY_FILM, "Print a completion script for bash, zsh or fish"

#endif
