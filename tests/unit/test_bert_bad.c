/* Tests encoder folders that cannot be read: each message names the file, tensor or setting. */
#include "testing.h"

#include "base/mem.h"
#include "bert/bert.h"
#include "tiny_bert.h"

static film_error error;
static struct tiny_tensors tensors;
static char folder[300];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch("bert-bad"));
    tiny_make(&tensors);
    tiny_write(folder, &tensors);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tiny_remove(folder);
    return 0;
}

/* The message after the folder's name. */
static void expect(film_status wanted, const char *message)
{
    struct bert *bert;
    film_status status = bert_open(folder, &bert, &error);
    if (status == FILM_OK) print_error("no error, expected: %s\n", message);
    assert_int_equal(status, wanted);
    assert_null(bert);
    if (!strstr(error.message, message))
        print_error("got:      %s\nexpected: %s\n", error.message, message);
    assert_non_null(strstr(error.message, message));
}

static void with_file(const char *name, const char *content, const char *message)
{
    write_file(tiny_path(folder, name), content, strlen(content));
    expect(FILM_BAD_INPUT, message);
    remove(tiny_path(folder, name));
}

/* TINY_CONFIG with FROM replaced by TO. */
static void with_config(const char *from, const char *to, const char *message)
{
    char text[1000];
    const char *at = strstr(TINY_CONFIG, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - TINY_CONFIG), TINY_CONFIG, to,
             at + strlen(from));
    with_file("config.json", text, message);
    tiny_write(folder, &tensors);
}

static void settings_are_named(void **state)
{
    (void)state;
    with_config("\"bert\"", "\"roberta\"",
                "config.json: \"model_type\" is \"roberta\"; supported: bert, distilbert");
    with_config("\"model_type\": \"bert\", ", "", "config.json: \"model_type\" is missing");
    with_config("\"hidden_size\": 12", "\"hidden_size\": 1e300",
                "config.json: \"hidden_size\" is 1.0000000000000001e+300; supported: 1 to 65536");
    with_config("\"hidden_size\": 12", "\"hidden_size\": 12.5",
                "config.json: \"hidden_size\" is not a whole number");
    with_config("\"hidden_size\": 12, ", "", "config.json: no \"hidden_size\"");
    with_config("\"num_attention_heads\": 2", "\"num_attention_heads\": 5",
                "config.json: width 12 is not divisible by 5 heads (\"num_attention_heads\")");
    with_config("\"type_vocab_size\": 2", "\"hidden_act\": \"silu\"",
                "config.json: \"hidden_act\" is \"silu\"; supported: gelu, gelu_new");
    with_config("\"type_vocab_size\": 2", "\"position_embedding_type\": \"relative_key\"",
                "\"position_embedding_type\" is \"relative_key\"; supported: absolute");
    with_config("\"type_vocab_size\": 2", "\"is_decoder\": true",
                "\"is_decoder\" is true; only encoders are supported");
    with_config("\"type_vocab_size\": 2", "\"layer_norm_eps\": \"x\"", "\"layer_norm_eps\" is not");
    static const char *const cases[][2] = {
        {"\"type_vocab_size\": 0", "\"type_vocab_size\" is 0"},
        {"\"type_vocab_size\": \"2\"", "\"type_vocab_size\" is not a whole number"},
        {"\"add_cross_attention\": true", "\"add_cross_attention\" is true; only encoders"},
        {"\"add_cross_attention\": 1", "\"add_cross_attention\" is not true or false"},
        {"\"is_decoder\": 7", "\"is_decoder\" is not true or false"},
        {"\"position_embedding_type\": 3", "\"position_embedding_type\" is not"},
        {"\"layer_norm_eps\": 2", "\"layer_norm_eps\" is not"},
        {"\"layer_norm_eps\": -0.5", "\"layer_norm_eps\" is not"},
        {"\"layer_norm_eps\": 7", "\"layer_norm_eps\" is not"},
        {"\"hidden_act\": \"\\u0001a\"", "\"hidden_act\" is \"?a\""},
        {"\"hidden_act\": []", "\"hidden_act\" is not"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        with_config("\"type_vocab_size\": 2", cases[i][0], cases[i][1]);
    with_config("\"model_type\": \"bert\"", "\"model_type\": 7", "\"model_type\" is not");
    with_file("config.json", "[]", "config.json: not a JSON object");
    tiny_write(folder, &tensors);
    with_config("}", "", "config.json:1: not JSON: ");
    with_config("{\"model_type\": \"bert\"", "[1], {", "config.json:1: not JSON: ");
}

static void sizes_that_do_not_fit_name_the_tensor(void **state)
{
    (void)state;
    with_config("\"vocab_size\": 16", "\"vocab_size\": 16777216",
                "tensor embeddings.word_embeddings.weight should be 16777216 x 12 (config.json), "
                "but is 16 x 12");
    with_config("\"intermediate_size\": 20", "\"intermediate_size\": 65536",
                "tensor encoder.layer.0.intermediate.dense.weight should be 65536 x 12 "
                "(config.json), but is 20 x 12");
    with_config("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
                "tensor encoder.layer.2.attention.self.query.weight is missing");
    with_config("\"vocab_size\": 16", "\"vocab_size\": 15",
                "vocab.txt has 16 tokens, but \"vocab_size\" of config.json is 15");
}

static void with_tensor(const char *name, void (*spoil)(size_t), const char *message)
{
    size_t i = tiny_find(&tensors, name);
    assert_true(i < tensors.count);
    spoil(i);
    tiny_write(folder, &tensors);
    expect(FILM_BAD_INPUT, message);
    tiny_make(&tensors);
    tiny_write(folder, &tensors);
}

static void make_nan(size_t i)
{
    tensors.data[i][3] = NAN;
}

static void make_infinite(size_t i)
{
    tensors.data[i][0] = -INFINITY;
}

static void rename_it(size_t i)
{
    tensors.name[i][0] = 'X';
}

static void make_integers(size_t i)
{
    tensors.tensor[i].type = SAFETENSORS_I32;
}

static void make_flat(size_t i)
{
    tensors.tensor[i].dims = 1;
    tensors.tensor[i].shape[0] *= tensors.tensor[i].shape[1];
}

static void tensors_are_named(void **state)
{
    (void)state;
    with_tensor("encoder.layer.1.attention.self.value.bias", make_nan,
                "tensor encoder.layer.1.attention.self.value.bias has a value that is not finite");
    with_tensor("encoder.layer.0.output.dense.weight", make_infinite,
                "tensor encoder.layer.0.output.dense.weight has a value that is not finite");
    with_tensor("embeddings.word_embeddings.weight", make_nan,
                "tensor embeddings.word_embeddings.weight has a value that is not finite");
    with_tensor("embeddings.word_embeddings.weight", rename_it,
                "tensor embeddings.word_embeddings.weight is missing, with or without the prefix");
    with_tensor("encoder.layer.1.output.LayerNorm.bias", rename_it,
                "tensor encoder.layer.1.output.LayerNorm.bias is missing");
    with_tensor("encoder.layer.0.output.dense.bias", make_integers,
                "tensor encoder.layer.0.output.dense.bias has type I32; supported: F32, F16, BF16");
    with_tensor("encoder.layer.0.attention.self.key.weight", make_flat,
                "tensor encoder.layer.0.attention.self.key.weight should be 12 x 12 (config.json), "
                "but is 144");
}

static void vocabularies_are_checked(void **state)
{
    (void)state;
    with_file("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\nb\na\n",
              "vocab.txt:6: duplicate token \"a\", first in line 4");
    with_file("vocab.txt", "[UNK]\n[CLS]\na\n", "vocab.txt: token \"[SEP]\" is missing");
    with_file("vocab.txt", "", "vocab.txt: token \"[UNK]\" is missing");
    with_file("vocab.txt", "[UNK]\n\xff\n", "vocab.txt:2: invalid UTF-8");
    expect(FILM_IO, " has neither tokenizer.json nor vocab.txt");
    tiny_write(folder, &tensors);
#define PARTS                                                                        \
    "\"normalizer\": {\"type\": \"BertNormalizer\"}, \"pre_tokenizer\": {\"type\": " \
    "\"BertPreTokenizer\"}, "
    with_file("tokenizer.json", "{\"model\": {\"type\": \"BPE\"}}",
              "tokenizer.json: the model is BPE; supported: WordPiece");
    with_file("tokenizer.json", "{\"normalizer\": {\"type\": \"Sequence\"}}",
              "tokenizer.json: the normalizer is Sequence; supported: BertNormalizer");
    with_file("tokenizer.json", "{" PARTS "\"model\": {\"vocab\": [1]}}",
              "tokenizer.json: \"vocab\" is not a JSON object of tokens");
    with_file("tokenizer.json", "{" PARTS "\"model\": {\"vocab\": {\"a\": 0, \"b\": 0}}}",
              "tokenizer.json: tokens \"a\" and \"b\" have the same id");
    with_file("tokenizer.json", "{" PARTS "\"model\": {\"vocab\": {\"a\": 0, \"b\": 7}}}",
              "tokenizer.json: token \"b\": the id is not between 0 and 1");
    with_file("tokenizer.json", "{" PARTS "\"model\": {\"vocab\": {\"a\": 0, \"a\": 1}}}",
              "tokenizer.json:1: not JSON: duplicate object key");
    with_file(
        "tokenizer.json",
        "{" PARTS "\"added_tokens\": [{\"content\": \"x\", \"id\": 1}], "
        "\"model\": {\"vocab\": {\"a\": 0}}}",
        "tokenizer.json: added token \"x\" is not special; only special tokens are supported");
    with_file("tokenizer.json",
              "{" PARTS "\"model\": {\"continuing_subword_prefix\": \"#########\"}}",
              "\"continuing_subword_prefix\" is longer than 8 bytes");
    with_file("tokenizer_config.json", "{\"do_lower_case\": \"yes\"}",
              "tokenizer_config.json: \"do_lower_case\" is not true or false");
    with_file("tokenizer_config.json", "{\"do_basic_tokenize\": false}",
              "tokenizer_config.json: \"do_basic_tokenize\" is false");
    with_file("tokenizer_config.json", "{\"cls_token\": \"<s>\"}",
              "vocab.txt: token \"<s>\" is missing");
    with_file("tokenizer_config.json", "{\"model_max_length\": 2}",
              "\"model_max_length\" is not a whole number of at least 3");
    with_file("tokenizer_config.json", "{\"model_max_length\": 3.5}",
              "\"model_max_length\" is not");
    with_file("tokenizer_config.json", "{\"model_max_length\": \"x\"}", "\"model_max_length\" is");
    with_file("tokenizer_config.json", "{", "tokenizer_config.json:1: not JSON");
    with_file("sentence_bert_config.json", "{\"max_seq_length\": 1}", "\"max_seq_length\" is not");
    with_file("sentence_bert_config.json", "{\"max_seq_length\": null, \"do_lower_case\": 1}",
              "\"do_lower_case\" is not true or false");
    with_file("sentence_bert_config.json", "{", "sentence_bert_config.json:1: not JSON");
}

static void modules_are_checked(void **state)
{
    (void)state;
#define MODULE(path, type) \
    "{\"path\": \"" path "\", \"type\": \"sentence_transformers.models." type "\"}"
    with_file("modules.json", "{}", "modules.json: not a list of modules");
    with_file("modules.json", "[" MODULE("", "Transformer") "," MODULE("", "Dense") "]",
              "modules.json: module 1 is Dense; supported: Transformer, Pooling, Normalize");
    with_file("modules.json", "[" MODULE("../other", "Transformer") "]",
              "modules.json: the path of a module is outside of the folder");
    with_file("modules.json", "[]", "modules.json: not a list of modules");
    with_file("modules.json", "[", "modules.json:1: not JSON");
    with_file("modules.json", "[" MODULE("/etc", "Transformer") "]", "outside of the folder");
    with_file("modules.json", "[{\"type\": \"Dense\"}]", "modules.json: module 0 is Dense");
    with_file("modules.json", "[{}]", "modules.json: module 0 is without a type");
    with_file("modules.json", "[{\"type\": 3}]", "modules.json: \"type\" is not");
    with_file("modules.json", "[{\"type\": \"Transformer\", \"path\": 3}]",
              "modules.json: \"path\" is not");
    mkdir(tiny_path(folder, "1_Pooling"), 0777);
    const char *good = "[" MODULE("", "Transformer") "," MODULE("1_Pooling", "Pooling") "]";
    write_file(tiny_path(folder, "modules.json"), good, strlen(good));
    expect(FILM_IO, "1_Pooling/config.json: No such file or directory");
    with_file("1_Pooling/config.json",
              "{\"pooling_mode_mean_tokens\": true, \"pooling_mode_cls_token\": true}",
              "config.json: 2 pooling modes are enabled");
    with_file("1_Pooling/config.json", "{}", "config.json: 0 pooling modes are enabled");
    with_file("1_Pooling/config.json", "{\"pooling_mode_cls_token\": 1}",
              "\"pooling_mode_cls_token\" is not true or false");
    with_file("1_Pooling/config.json", "{\"pooling_mode_lasttoken\": true}",
              "\"pooling_mode_lasttoken\" is \"true\"; supported: mean, cls and max pooling");
    remove(tiny_path(folder, "modules.json"));
}

static void files_are_missing_or_cut(void **state)
{
    (void)state;
    const char *path = tiny_path(folder, "model.safetensors");
    assert_int_equal(truncate(path, 4000), 0);
    expect(FILM_BAD_INPUT, "model.safetensors: ");
    assert_int_equal(truncate(tiny_path(folder, "model.safetensors"), 5), 0);
    expect(FILM_BAD_INPUT, "5 bytes are too short");
    remove(tiny_path(folder, "model.safetensors"));
    expect(FILM_IO, " has neither model.safetensors nor model.safetensors.index.json");
    with_file("model.safetensors.index.json", "{\"weight_map\": {\"x\": \"../../etc/passwd\"}}",
              "index.json: tensor x: invalid file name");
    with_file("model.safetensors.index.json", "{}",
              "index.json: \"weight_map\" is missing or empty");
    write_file(tiny_path(folder, "model.safetensors.index.json"),
               "{\"weight_map\": {\"x\": \"part.safetensors\"}}", 41);
    expect(FILM_IO, "part.safetensors: No such file or directory");
    remove(tiny_path(folder, "model.safetensors.index.json"));
    remove(tiny_path(folder, "config.json"));
    expect(FILM_IO, "config.json: No such file or directory");
    tiny_write(folder, &tensors);
    struct bert *bert;
    assert_int_equal(bert_open(tiny_path(folder, "config.json"), &bert, &error), FILM_IO);
    assert_non_null(strstr(error.message, "config.json is not a folder"));
    assert_int_equal(bert_open("/nowhere/at/all", &bert, &error), FILM_IO);
}

static void weights_that_overflow_are_an_error_not_a_vector(void **state)
{
    (void)state;
    struct bert *bert;
    film_text text = film_string("a");
    float out[TINY_HIDDEN];
    size_t i = tiny_find(&tensors, "encoder.layer.1.output.LayerNorm.weight");
    for (int d = 0; d < TINY_HIDDEN; d++) tensors.data[i][d] = 3e38f;
    tiny_write(folder, &tensors);
    assert_ok(bert_open(folder, &bert, &error));
    assert_int_equal(bert_encode(bert, &text, 1, 1, out, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message, "encoder: its weights produce values that are not finite");
    bert_free(bert);
    tiny_make(&tensors);
    tiny_write(folder, &tensors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_named),
        cmocka_unit_test(sizes_that_do_not_fit_name_the_tensor),
        cmocka_unit_test(tensors_are_named),
        cmocka_unit_test(vocabularies_are_checked),
        cmocka_unit_test(modules_are_checked),
        cmocka_unit_test(files_are_missing_or_cut),
        cmocka_unit_test(weights_that_overflow_are_an_error_not_a_vector),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
