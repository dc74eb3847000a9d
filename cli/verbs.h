/* All that the program knows of a verb before it loads the verb's library: name, library, summary.
 * The same words begin the verb's own struct; main.c lists them. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#define VERB_TRAIN "train", LIBRARY_TRAIN, "Learn a model from sentences, with or without labels"
#define VERB_EVAL "eval", LIBRARY_TRAIN, "Measure a model on a labelled file"
#define VERB_MATCH \
    "match", LIBRARY_FILM, "Do two sentences mean the same? Probability, verdict, words"
#define VERB_EXPLAIN \
    "explain", LIBRARY_FILM, "Say why: of a pair, a word, a dimension, or all a model learned"
#define VERB_PREDICT "predict", LIBRARY_FILM, "A probability for every pair of a file, in its order"
#define VERB_EMBED "embed", LIBRARY_FILM, "Turn sentences into vectors, as a NumPy array"
#define VERB_SPLIT \
    "split", LIBRARY_TRAIN, "Cut a file into train and dev parts that share no question"
#define VERB_POOL \
    "pool", LIBRARY_POOL, "Keep a growing set of sentences with their model in one file"
#define VERB_SEARCH "search", LIBRARY_POOL, "Find what in a pool means the same"
#define VERB_DEDUP \
    "dedup", LIBRARY_POOL, "Which sentences of a file or pool mean the same: clusters of duplicates"
#define VERB_LINK "link", LIBRARY_POOL, "For every record of one file its match in another"
#define VERB_SERVE "serve", LIBRARY_POOL, "Answer over HTTP, with a page to try it"
#define VERB_REPORT "report", LIBRARY_TRAIN, "Write a page about a model: quality, mistakes, data"
#define VERB_INFO "info", LIBRARY_FILM, "Show what is in a model: settings, sizes, figures"
#define VERB_COMPLETIONS \
    "completions", LIBRARY_FILM, "Print what makes a shell complete the program's words"

#endif
