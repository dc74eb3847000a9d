# shellcheck shell=bash
# BERT folders. A part of bad_input.sh, which sources it.
heading "BERT folders"
export PYTHONDONTWRITEBYTECODE=1
make_bert() { rm -rf bert; "$PYTHON" "$ROOT/tests/golden/bert_folder.py" bert "$@"; }
# bad_bert WHAT CODE MESSAGE: of a folder spoilt before, which is then made anew.
bad_bert() { bad "$1" "$2" "film: $3" film embed bert good.tsv -o v.npy; make_bert; }
make_bert
bad "an empty folder" 3 \
    'film: cannot open folder/config.json: No such file or directory' \
    film embed folder good.tsv -o v.npy
bad "--round with a model" 1 \
    'film: the model has no BERT encoder; leave out the choice of its arithmetic' \
    film embed good.film good.tsv -o v.npy --round
sed -i 's/"bert"/"roberta"/' bert/config.json
bad_bert "another network" 2 'bert/config.json: "model_type" is "roberta"; supported: bert, distilbert'
sed -i 's/"hidden_size": 24/"hidden_size": 1e15/' bert/config.json
bad_bert "a huge width" 2 'bert/config.json: "hidden_size" is 1000000000000000; supported: 1 to 65536'
sed -i 's/"intermediate_size": 40/"intermediate_size": 65536/' bert/config.json
bad_bert "a shape that config.json does not give" 2 \
    'bert: tensor encoder.layer.0.intermediate.dense.weight should be 65536 x 24 (config.json), but is 40 x 24'
sed -i 's/"hidden_act": "gelu"/"hidden_act": "swish"/' bert/config.json
bad_bert "an unknown activation" 2 \
    'bert/config.json: "hidden_act" is "swish"; supported: gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, relu'
rm bert/vocab.txt
bad_bert "no vocabulary" 3 'bert has neither tokenizer.json nor vocab.txt'
sed -i 's/^how$/what/' bert/vocab.txt
bad_bert "a token twice" 2 'bert/vocab.txt:66: duplicate token "what", first in line 65'
truncate -s 20000 bert/model.safetensors
NORMAL='s/tensor [^ ]+ ends at byte [0-9]+ of the data, which has only [0-9]+/tensor ... ends at byte ... of the data, which has only .../' \
    bad_bert "weights that are cut off" 2 \
    'bert/model.safetensors: tensor ... ends at byte ... of the data, which has only ...; the file is cut off or damaged'
rm bert/model.safetensors
bad_bert "no weights" 3 'bert has neither model.safetensors nor model.safetensors.index.json'
bad "no such encoder" 3 \
    'film: cannot open nowhere: No such file or directory' \
    film train good.tsv --bert nowhere -o m.film
bad "a black box without an encoder" 1 \
    'film: method deep needs a BERT encoder or word vectors; give one of them' \
    film train good.tsv --method deep -o m.film
bad "an encoder with too short vectors for it" 1 \
    'film: deep network: supported are 32 to 512 tokens of 32 to 4096 numbers and 1 to 1024 maps per layer, not 32 tokens of 24 numbers and 16,32,32,16 maps' \
    film train good.tsv --method deep --bert bert -o m.film
bad "a method that is not learned on top of an encoder" 1 \
    'film: a BERT encoder needs method film, svd or deep; choose one of them' \
    film train good.tsv --bert bert --method rank -o m.film
make_bert --nan encoder.layer.1.output.dense.bias
bad_bert "weights that are not numbers" 2 'bert: tensor encoder.layer.1.output.dense.bias has a value that is not finite'
