# fish completion for film(1). Install it as ~/.config/fish/completions/film.fish.
# tests/cli/help.sh holds it against the program; it reads the blocks between lines such as "# train".

set -l verbs train match embed split info
set -l no_verb "not __fish_seen_subcommand_from $verbs help"
set -l any_verb "__fish_seen_subcommand_from $verbs"
set -l stemmers arabic armenian basque catalan danish dutch english finnish french german greek hindi \
    hungarian indonesian irish italian lithuanian nepali norwegian porter portuguese romanian russian \
    serbian spanish swedish tamil turkish yiddish

complete -c film -n "$no_verb" -f -a train -d 'Learn a model from sentences'
complete -c film -n "$no_verb" -f -a match -d 'Do two sentences mean the same?'
complete -c film -n "$no_verb" -f -a embed -d 'Turn sentences into vectors'
complete -c film -n "$no_verb" -f -a split -d 'Cut a file into train and dev parts'
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
complete -c film -n "$in" -l dev -r -F -d 'Labelled file to choose the threshold on'
complete -c film -n "$in" -l features -x -a 'word bigram char word,bigram word,char word,bigram,char' -d 'What to count'
complete -c film -n "$in" -l rank -x -d 'Rank of the SVD'
complete -c film -n "$in" -l dim -x -d 'Length of a vector'
complete -c film -n "$in" -l min-df -x -d 'Keep features of at least N sentences'
complete -c film -n "$in" -l max-features -x -d 'Keep the N most frequent of each group'
complete -c film -n "$in" -l stem -x -a "$stemmers" -d 'Snowball stemming'
complete -c film -n "$in" -l stop -r -F -a english -d 'Words to leave out'
complete -c film -n "$in" -l columns -x -a 'label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -l resume -d 'Go on where the same command was stopped'
complete -c film -n "$in" -l checkpoint-every -x -d 'Write a checkpoint so often (seconds)'
complete -c film -n "$in" -l seed -x -d 'Of all random numbers'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# match
set -l in "__fish_seen_subcommand_from match"
complete -c film -n "$in" -l prior -x -d 'Probability before reading'

# embed
set -l in "__fish_seen_subcommand_from embed"
complete -c film -n "$in" -s o -l output -r -F -d 'Where to write'
complete -c film -n "$in" -l columns -x -a 'text -,text' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'
complete -c film -n "$in" -s t -l threads -x -d 'How many threads'

# split
set -l in "__fish_seen_subcommand_from split"
complete -c film -n "$in" -s o -l output -r -F -d 'Prefix of the two parts'
complete -c film -n "$in" -l ratio -x -a '4:1 9:1 1:1' -d 'Rows in train and dev'
complete -c film -n "$in" -l seed -x -d 'Of the random numbers'
complete -c film -n "$in" -l columns -x -a 'label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b' -d 'Name the columns'
complete -c film -n "$in" -l format -x -a 'tsv csv jsonl lines' -d 'Format of the file'
complete -c film -n "$in" -l labels -x -a 'auto none pairs scores triplets categories' -d 'What the labels say'
complete -c film -n "$in" -l skip-bad -d 'Count bad rows and pass over them'

# info
