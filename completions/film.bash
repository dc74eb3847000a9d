# bash completion for film(1). Source it, or install it as
# /usr/share/bash-completion/completions/film. tests/cli/help.sh holds it against the program.

_film_options() {
    local common="--json --quiet -q --help -h --version"
    local table="--columns --format --labels --skip-bad"
    case $1 in
        train) echo "--output -o --pool --dev --operating --prior $table --features --min-df --max-features --stem --stop" \
            "--method --bert --cache --dim --sim --rank --decision --no-memory --keep-examples --power --init --margin --positives --labelled --hard --random" \
            "--iterations --epsilon --least-change --rho --gamma --shrink --first-step" \
            "--inner --sample --mfilm-basis --epochs --batch --rate --temperature --maps --tokens --loss --deep-margin --dropout --resume --checkpoint-every --seed --threads -t $common" ;;
        eval) echo "--k -k --knn --decision --no-memory --prior --threshold --operating --against --pool --pool-queries --pool-columns --bootstrap" \
            "$table --seed --threads -t $common" ;;
        match) echo "--decision --no-memory --prior --threshold $common" ;;
        explain) echo "--pair --dim --word --most --all --decision --no-memory --prior $common" ;;
        predict) echo "--output -o --format --decision --no-memory --prior --threshold --columns --input-format --labels --skip-bad" \
            "--threads -t $common" ;;
        embed) echo "--output -o $table --threads -t --round $common" ;;
        split) echo "--output -o --ratio --seed $table $common" ;;
        pool) echo "--model -m --replace --batch --progress-lines --columns --input-format --skip-bad --threads -t" \
            "--wait --ignore-missing --where --limit -n --output -o --format --full --repair --recall --from $common" ;;
        search) echo "--answers -k --explain --where --threshold --candidates --decision --no-memory --prior" \
            "--threads -t --wait $common" ;;
        dedup) echo "--threshold --output -o --pairs --all --review --candidates --decision --no-memory --prior" \
            "--columns --input-format --skip-bad --threads -t $common" ;;
        link) echo "--threshold --matches -k --unique --output -o --candidates --decision --no-memory --prior" \
            "--columns --input-format --skip-bad --threads -t $common" ;;
        serve) echo "--listen -l --token-file --allow-origin --read-only --report --log --log-text --max-body --max-header" \
            "--max-texts --max-pool --max-connections --timeout --threads -t $common" ;;
        report) echo "--output -o --eval --train --pool --compare $table --train-columns --pool-columns --seed --threads -t $common" ;;
        info) echo "$common" ;;
    esac
}

# The values of option $1 of verb $2; 1 when they are file names, 2 when nothing can be proposed.
_film_values() {
    case $1 in
        --features) echo "word bigram char word,bigram word,char word,bigram,char" ;;
        --labels) echo "auto none pairs scores triplets categories" ;;
        --format)
            case $2 in
                predict) echo "tsv jsonl kaggle" ;;
                pool) echo "tsv csv jsonl" ;;
                *) echo "tsv csv jsonl lines" ;;
            esac ;;
        --input-format) [ "$2" = predict ] && echo "tsv csv jsonl" || echo "tsv csv jsonl lines" ;;
        --method) echo "auto tfidf svd film mfilm rank deep" ;;
        --loss) echo "triplet npair" ;;
        --sim) echo "cosine dot euclidean" ;;
        --init) echo "random eigen" ;;
        --mfilm-basis) echo "sample batch" ;;
        --k | -k) [[ $2 = link || $2 = search ]] && return 2 || echo "1:55 0" ;;
        --knn) echo "mutual either" ;;
        --decision) [ "$2" = eval ] && echo "full threshold knn" || echo "auto full threshold" ;;
        --columns | --pool-columns | --train-columns) echo "label,a,b a,b,label score,a,b text,category anchor,positive,negative a,b" ;;
        --stem) echo "arabic armenian basque catalan danish dutch english finnish french german greek" \
            "hindi hungarian indonesian irish italian lithuanian nepali norwegian porter portuguese" \
            "romanian russian serbian spanish swedish tamil turkish yiddish" ;;
        --listen | -l) echo "127.0.0.1:8080 [::1]:8080" ;;
        --operating) echo "accuracy f1 precision=0.9 recall=0.9" ;;
        --prior) [ "$2" = eval ] && echo "auto" || return 2 ;;
        --ratio) echo "4:1 9:1 1:1" ;;
        --rank | --dim | --min-df | --max-features | --seed | --threads | -t | --threshold | --power | --margin | \
            --positives | --labelled | --hard | --random | --iterations | --epsilon | --least-change | \
            --rho | --gamma | --shrink | --first-step | --inner | --sample | --epochs | --batch | --rate | --temperature | \
            --pool-queries | --checkpoint-every | --bootstrap | --wait | --where | --limit | -n | --review | --candidates | --matches | --answers | \
            --keep-examples | --most | --word | --allow-origin | --max-body | --max-header | --max-texts | --max-pool | --max-connections | --timeout) return 2 ;;
        *) return 1 ;;
    esac
}

_film() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local values
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "train eval match explain predict embed split pool search dedup link serve report info help --help --version" -- "$word")
        return
    fi
    if [ "$verb" = help ]; then
        [ "$COMP_CWORD" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W "train eval match explain predict embed split pool search dedup link serve report info" -- "$word")
        return
    fi
    # the action comes before anything else
    if [ "$verb" = pool ] && [ "$COMP_CWORD" -eq 2 ] && [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "create add remove list export check label" -- "$word")
        return
    fi
    # bash cuts "--name=value" at the equals sign
    if [ "$word" = "=" ]; then word=""; elif [ "$before" = "=" ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    values=$(_film_values "$before" "$verb")
    case $? in
        0)
            mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
            return ;;
        2) return ;;
    esac
    case $before in
        --output | -o | --dev | --pool | --eval | --train) ;;
        --stop) mapfile -t COMPREPLY < <(compgen -W english -- "$word") ;;
        *)
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$(_film_options "$verb")" -- "$word")
                return
            fi
            # the sentences of match are no files
            [ "$verb" = match ] && [ "$COMP_CWORD" -gt 2 ] && return ;;
    esac
    local files
    mapfile -t files < <(compgen -f -- "$word")
    COMPREPLY+=("${files[@]}")
    compopt -o filenames 2>/dev/null
}

complete -F _film film
