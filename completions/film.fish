# fish completion for film(1). Install it as ~/.config/fish/completions/film.fish.
# tests/cli/help.sh holds it against the program; it reads the blocks between lines such as "# train".

set -l verbs train eval match explain predict embed split pool search dedup link serve report info
set -l no_verb "not __fish_seen_subcommand_from $verbs help"
set -l any_verb "__fish_seen_subcommand_from $verbs"
set -l stemmers arabic armenian basque catalan danish dutch english finnish french german greek hindi \
    hungarian indonesian irish italian lithuanian nepali norwegian porter portuguese romanian russian \
    serbian spanish swedish tamil turkish yiddish

complete -c film -n "$no_verb" -f -a train -d 'Learn a model from sentences'
complete -c film -n "$no_verb" -f -a eval -d 'Measure a model on a labelled file'
complete -c film -n "$no_verb" -f -a match -d 'Do two sentences mean the same?'
complete -c film -n "$no_verb" -f -a explain -d 'Say why: of a pair, a word, a dimension or a model'
complete -c film -n "$no_verb" -f -a predict -d 'A probability for every pair of a file'
complete -c film -n "$no_verb" -f -a embed -d 'Turn sentences into vectors'
complete -c film -n "$no_verb" -f -a split -d 'Cut a file into train and dev parts'
complete -c film -n "$no_verb" -f -a pool -d 'Keep a growing set of sentences'
complete -c film -n "$no_verb" -f -a search -d 'Find what in a pool means the same'
complete -c film -n "$no_verb" -f -a dedup -d 'Which sentences mean the same'
complete -c film -n "$no_verb" -f -a link -d 'For every record of one file its match in another'
complete -c film -n "$no_verb" -f -a serve -d 'Answer over HTTP, with a page to try it'
complete -c film -n "$no_verb" -f -a report -d 'Write a page about a model'
complete -c film -n "$no_verb" -f -a info -d 'Show what is in a model'
complete -c film -n "$no_verb" -f -a help -d 'Show the help of a verb'
complete -c film -n "$no_verb" -f -l help -s h -d 'List the verbs'
complete -c film -n "$no_verb" -f -l version -d 'Show the version'
complete -c film -n "__fish_seen_subcommand_from help" -f -a "$verbs"

# common
complete -c film -n "$any_verb" -l json -d 'Answer in JSON'
complete -c film -n "$any_verb" -s q -l quiet -d 'No progress, no messages but errors'
complete -c film -n "$any_verb" -s h -l help -d 'Show the options'
complete -c film -n "$any_verb" -l version -d 'Show the version'

# train
set -l in "__fish_seen_subcommand_from train"
complete -c film -n "$in" -s o -l output -r -F -d 'Where to write the model'
complete -c film -n "$in" -l pool -r -F -d 'Learn from the labels of a pool'
complete -c film -n "$in" -l dev -r -F -d 'Labelled file to choose the threshold on'
complete -c film -n "$in" -l operating -x -a 'accuracy f1 precision=0.9 recall=0.9' -d 'What the threshold is chosen for'
complete -c film -n "$in" -l prior -x -d 'Share of duplicates it is chosen for'
complete -c film -n "$in" -l features -x -a 'word bigram char word,bigram word,char word,bigram,char' -d 'What to count'
complete -c film -n "$in" -l min-df -x -d 'Keep features of at least N sentences'
complete -c film -n "$in" -l max-features -x -d 'Keep the N most frequent of each group'
complete -c film -n "$in" -l stem -x -a "$stemmers" -d 'Snowball stemming'
complete -c film -n "$in" -l stop -r -F -a english -d 'Words to leave out'
complete -c film -n "$in" -l columns -x -a 'label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -l method -x -a 'auto tfidf svd film mfilm rank deep' -d 'How to learn'
complete -c film -n "$in" -l bert -x -a '(__fish_complete_directories)' -d 'A folder with a BERT encoder'
complete -c film -n "$in" -l cache -x -a '(__fish_complete_directories)' -d 'Where vectors of the encoder are kept'
complete -c film -n "$in" -l dim -x -d 'Length of a vector'
complete -c film -n "$in" -l sim -x -a 'cosine dot euclidean' -d 'How two vectors are compared'
complete -c film -n "$in" -l rank -x -d 'Rank of the SVD'
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'Do not keep which questions were labelled'
complete -c film -n "$in" -l keep-examples -x -d 'Keep N labelled pairs in the model'
complete -c film -n "$in" -l power -x -d 'film: P of Sigma^-P'
complete -c film -n "$in" -l init -x -a 'random eigen' -d 'film: where to start'
complete -c film -n "$in" -l margin -x -d 'film: margin over mean squared length'
complete -c film -n "$in" -l positives -x -d 'film: most positives of an anchor'
complete -c film -n "$in" -l labelled -x -d 'film: most labelled negatives of an anchor'
complete -c film -n "$in" -l hard -x -d 'film: hard negatives of an anchor'
complete -c film -n "$in" -l random -x -d 'film: random negatives of an anchor'
complete -c film -n "$in" -l iterations -x -d 'film: at most so many iterations'
complete -c film -n "$in" -l epsilon -x -d 'film: stop below this gradient norm'
complete -c film -n "$in" -l least-change -x -d 'film: stop below this relative change'
complete -c film -n "$in" -l rho -x -d 'film: share of the slope a step must gain'
complete -c film -n "$in" -l gamma -x -d 'film: memory of the non-monotone search'
complete -c film -n "$in" -l shrink -x -d 'film: factor of a shortened step'
complete -c film -n "$in" -l first-step -x -d 'film: length of the first step'
complete -c film -n "$in" -l epochs -x -d 'rank: passes over the pairs'
complete -c film -n "$in" -l batch -x -d 'rank: pairs per step'
complete -c film -n "$in" -l inner -x -d 'film: steps between two updates of the hinges'
complete -c film -n "$in" -l sample -x -d 'mfilm: sentences the SVD is made from'
complete -c film -n "$in" -l mfilm-basis -x -a 'sample batch' -d 'mfilm: one SVD of a sample or one per batch'
complete -c film -n "$in" -l rate -x -d 'rank: first step size'
complete -c film -n "$in" -l temperature -x -d 'rank: sharpness of the softmax'
complete -c film -n "$in" -l maps -x -a '16,32,32,16 64,128,256,128' -d 'deep: maps of the four layers'
complete -c film -n "$in" -l tokens -x -d 'deep: tokens of a sentence that are read'
complete -c film -n "$in" -l loss -x -a 'triplet npair' -d 'deep: what is learned by'
complete -c film -n "$in" -l deep-margin -x -d 'deep: margin between cosines'
complete -c film -n "$in" -l dropout -x -d 'deep: share of inputs left out'
complete -c film -n "$in" -l resume -d 'Go on where the same command was stopped'
complete -c film -n "$in" -l checkpoint-every -x -d 'Write a checkpoint so often (seconds)'
complete -c film -n "$in" -l seed -x -d 'Of all random numbers'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# eval
set -l in "__fish_seen_subcommand_from eval"
complete -c film -n "$in" -s k -l k -x -a '1:55 0' -d 'Sweep of pairwise kNN'
complete -c film -n "$in" -l knn -x -a 'mutual either' -d 'When a pair is similar'
complete -c film -n "$in" -l decision -x -a 'full threshold knn' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -a 'auto' -d 'Probability before reading'
complete -c film -n "$in" -l threshold -x -d 'Same from this probability on'
complete -c film -n "$in" -l operating -x -a 'accuracy f1 precision=0.9 recall=0.9' -d 'Tell the threshold the file would choose'
complete -c film -n "$in" -l against -r -F -d 'Second model to compare with'
complete -c film -n "$in" -l pool -r -F -d 'File to search for the duplicates in'
complete -c film -n "$in" -l pool-queries -x -d 'Only for the first N duplicates'
complete -c film -n "$in" -l pool-columns -x -a 'label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b' -d 'Name the columns of the pool'
complete -c film -n "$in" -l bootstrap -x -d 'Resamples for the intervals'
complete -c film -n "$in" -l columns -x -a 'label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -l seed -x -d 'Of the resamples'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# match
set -l in "__fish_seen_subcommand_from match"
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -d 'Probability before reading'
complete -c film -n "$in" -l threshold -x -d 'Same from this probability on'

# explain
set -l in "__fish_seen_subcommand_from explain"
complete -c film -n "$in" -l pair -d 'Why two sentences are the same or not'
complete -c film -n "$in" -l dim -x -d 'A dimension of the vectors, counted from 0'
complete -c film -n "$in" -l word -x -d 'A word'
complete -c film -n "$in" -l most -x -d 'The length of each list'
complete -c film -n "$in" -l all -d 'With --pair: every reason of the sum'
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -d 'Probability before reading'

# predict
set -l in "__fish_seen_subcommand_from predict"
complete -c film -n "$in" -s o -l output -r -F -d 'Where to write'
complete -c film -n "$in" -l format -x -a 'tsv jsonl kaggle' -d 'Format of the output'
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -d 'Probability before reading'
complete -c film -n "$in" -l threshold -x -d 'Same from this probability on'
complete -c film -n "$in" -l columns -x -a 'id,a,b a,b' -d 'Name the columns'
complete -c film -n "$in" -l input-format -x -a 'tsv csv jsonl' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# embed
set -l in "__fish_seen_subcommand_from embed"
complete -c film -n "$in" -s o -l output -r -F -d 'Where to write'
complete -c film -n "$in" -l columns -x -a 'text -,text' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'
complete -c film -n "$in" -l round -d 'BERT: round to 8 bits'

# split
set -l in "__fish_seen_subcommand_from split"
complete -c film -n "$in" -s o -l output -r -F -d 'Prefix of the two parts'
complete -c film -n "$in" -l ratio -x -a '4:1 9:1 1:1' -d 'Rows in train and dev'
complete -c film -n "$in" -l seed -x -d 'Of the random numbers'
complete -c film -n "$in" -l columns -x -a 'label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'

# pool
set -l in "__fish_seen_subcommand_from pool"
complete -c film -n "$in" -a 'create add remove list export check label'
complete -c film -n "$in" -s m -l model -r -F -d 'create: the model to keep inside'
complete -c film -n "$in" -l replace -d 'add: an id that is there takes the new text'
complete -c film -n "$in" -l batch -x -d 'add: rows per transaction'
complete -c film -n "$in" -l progress-lines -d 'add: print what is safe after each batch'
complete -c film -n "$in" -l columns -x -a 'id,text text,category id,text,answer' -d 'add: name the columns'
complete -c film -n "$in" -l input-format -x -a 'tsv csv jsonl lines' -d 'add: format of the file'
complete -c film -n "$in" -l skip-bad -d 'add: count bad rows and pass over them'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'
complete -c film -n "$in" -l wait -x -d 'Seconds to wait for another writer'
complete -c film -n "$in" -l ignore-missing -d 'remove: ids that are not there are no error'
complete -c film -n "$in" -l where -x -d 'list: only sentences with FIELD=VALUE'
complete -c film -n "$in" -s n -l limit -x -d 'list: at most so many'
complete -c film -n "$in" -s o -l output -r -F -d 'export: where to write'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl' -d 'export: format of the output'
complete -c film -n "$in" -l full -d 'check: hold every vector against its text'
complete -c film -n "$in" -l repair -d 'check: compute again what can be'
complete -c film -n "$in" -l recall -d 'check: measure what the index finds'
complete -c film -n "$in" -l from -r -F -d 'label: a table of answers'

# search
set -l in "__fish_seen_subcommand_from search"
complete -c film -n "$in" -s k -l answers -x -d 'So many answers'
complete -c film -n "$in" -l explain -d 'With the words that decided'
complete -c film -n "$in" -l where -x -d 'Only sentences with FIELD=VALUE'
complete -c film -n "$in" -l threshold -x -d 'Only answers of at least this probability'
complete -c film -n "$in" -l candidates -x -d 'Judge the N best of the index'
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -d 'Probability of a duplicate before reading'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'
complete -c film -n "$in" -l wait -x -d 'Seconds to wait for another writer'

# dedup
set -l in "__fish_seen_subcommand_from dedup"
complete -c film -n "$in" -l threshold -x -d 'The same from this probability on'
complete -c film -n "$in" -s o -l output -r -F -d 'Where to write'
complete -c film -n "$in" -l pairs -d 'Pairs instead of clusters'
complete -c film -n "$in" -l all -d 'Also records that are alone'
complete -c film -n "$in" -l review -x -d 'The N most doubtful pairs'
complete -c film -n "$in" -l candidates -x -d 'How many others each is compared with'
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -d 'Probability before reading'
complete -c film -n "$in" -l columns -x -a 'id,text text,category' -d 'Name the columns'
complete -c film -n "$in" -l input-format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# link
set -l in "__fish_seen_subcommand_from link"
complete -c film -n "$in" -l threshold -x -d 'The same from this probability on'
complete -c film -n "$in" -s k -l matches -x -d 'Up to N matches of each record'
complete -c film -n "$in" -l unique -d 'Match no record twice'
complete -c film -n "$in" -s o -l output -r -F -d 'Where to write'
complete -c film -n "$in" -l candidates -x -d 'How many others each is compared with'
complete -c film -n "$in" -l decision -x -a 'auto full threshold' -d 'How to decide'
complete -c film -n "$in" -l no-memory -d 'As if no question had been seen in training'
complete -c film -n "$in" -l prior -x -d 'Probability before reading'
complete -c film -n "$in" -l columns -x -a 'id,text text,category' -d 'Name the columns'
complete -c film -n "$in" -l input-format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# serve
set -l in "__fish_seen_subcommand_from serve"
complete -c film -n "$in" -s l -l listen -x -d 'Where to listen, HOST:PORT'
complete -c film -n "$in" -l token-file -r -F -d 'Ask for the token in this file'
complete -c film -n "$in" -l allow-origin -x -d 'Let pages of this origin ask'
complete -c film -n "$in" -l read-only -d 'Refuse changes of the pool'
complete -c film -n "$in" -l report -r -F -d 'Show this HTML file at /report'
complete -c film -n "$in" -l log -r -F -d 'A JSON line per request'
complete -c film -n "$in" -l log-text -d 'Log the sentences too'
complete -c film -n "$in" -l max-body -x -d 'Largest body of a request'
complete -c film -n "$in" -l max-header -x -d 'Largest head of a request'
complete -c film -n "$in" -l max-texts -x -d 'Most sentences in a request'
complete -c film -n "$in" -l max-pool -x -d 'How many sentences the pool may grow to'
complete -c film -n "$in" -l max-connections -x -d 'Most connections at once'
complete -c film -n "$in" -l timeout -x -d 'For a request to arrive'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# report
set -l in "__fish_seen_subcommand_from report"
complete -c film -n "$in" -s o -l output -r -F -d 'The page to write'
complete -c film -n "$in" -l eval -r -F -d 'Measure the model on this labelled file'
complete -c film -n "$in" -l train -r -F -d 'What it was trained on'
complete -c film -n "$in" -l pool -r -F -d 'Search its sentences for the duplicates'
complete -c film -n "$in" -l compare -r -F -d 'Show a table of other systems'
complete -c film -n "$in" -l columns -x -a 'label,a,b a,b,label score,a,b text,category' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -l train-columns -x -d 'Name the columns of --train'
complete -c film -n "$in" -l pool-columns -x -d 'Name the columns of --pool'
complete -c film -n "$in" -l seed -x -d 'Of the intervals and the audit'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# info
