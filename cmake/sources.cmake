# The sources of the three libraries and of the program, by name. Folders are in the order of the layers: a file includes
# its own folder and those before it (tests/layers.sh).

# ---- libfilm: open, embed, match, explain. No BLAS, no database ----
set(FILM_SOURCES
  # base: nothing of text or mathematics
  src/base/checksum.c src/base/compressed.c src/base/file.c src/base/jsonfile.c src/base/keyslots.c
  src/base/keytab.c src/base/mem.c src/base/rng.c src/base/safetensors.c
  src/base/safetensors_type.c src/base/safetensors_write.c src/base/sized.c src/base/sort.c
  src/base/status.c src/base/strtab.c src/base/threads.c src/base/topk.c src/base/union_find.c
  src/base/utf8.c src/base/writer.c
  # text: bytes to tokens, files to rows
  src/text/base_forms.c src/text/column_fields.c src/text/columns.c src/text/encoding.c
  src/text/field_types.c src/text/filetype.c src/text/fold.c src/text/format.c src/text/guess.c
  src/text/io_api.c src/text/jsonl.c src/text/quantity.c src/text/reader.c src/text/record.c
  src/text/record_text.c src/text/relations.c src/text/relations_edit.c src/text/relations_file.c
  src/text/relations_read.c src/text/source.c
  src/text/table.c src/text/tokenizer.c src/text/tokens.c src/text/value.c src/text/word_kinds.c
  src/text/workbook.c
  # embed: sentences to vectors
  src/embed/code_rows.c src/embed/encoder.c src/embed/features.c src/embed/grams.c
  src/embed/lexicon.c src/embed/network.c src/embed/vec.c src/embed/word_map.c
  # pair: two sentences to a verdict
  src/pair/alignment.c src/pair/answered.c src/pair/calibrate.c src/pair/comparison.c
  src/pair/decision.c src/pair/evidence.c src/pair/field_traits.c src/pair/guarantees.c
  src/pair/item_table.c src/pair/items.c src/pair/knowledge.c src/pair/known_matches.c
  src/pair/linear.c src/pair/match.c src/pair/memory.c src/pair/reading.c src/pair/reasons.c
  src/pair/record_codes.c src/pair/record_fields.c src/pair/resemblance.c src/pair/roles.c
  src/pair/scope.c src/pair/score.c src/pair/survey.c src/pair/traits.c src/pair/tree_terms.c
  src/pair/trees.c
  # model: the file on disk
  src/model/class_row.c src/model/classifier.c src/model/classifier_file.c
  src/model/decision_file.c src/model/decision_settings.c src/model/edits.c src/model/examples.c
  src/model/known_matches_file.c src/model/model.c src/model/model_words.c src/model/parent.c
  src/model/round.c src/model/settings.c
  # explain: reasons for readers; the calls of film.h
  src/explain/answer_json.c src/explain/causes.c src/explain/classify.c src/explain/differences.c
  src/explain/edit_trials.c src/explain/encoded.c src/explain/explanation_json.c
  src/explain/facts.c src/explain/film_api.c src/explain/learned_dimension.c
  src/explain/learned_model.c src/explain/learned_word.c src/explain/links.c src/explain/nearest.c
  src/explain/pair.c src/explain/proposals.c src/explain/ranking.c src/explain/reversals.c
  src/explain/values.c src/explain/words.c
)

# The files that know libpq's header, or what refuses postgresql:// in their place.
if(FILM_POSTGRESQL)
  set(FILM_REMOTE_SOURCES
    src/remote/libpq.c src/remote/place.c src/remote/session.c src/remote/session_copy.c src/remote/tables.c
  src/remote/pull.c src/remote/push.c src/remote/compare.c src/remote/copy_file.c src/remote/remote.c)
  set_source_files_properties(${FILM_REMOTE_SOURCES} PROPERTIES INCLUDE_DIRECTORIES "${PQ_INCLUDE_DIRS}")
else()
  set(FILM_REMOTE_SOURCES src/remote/no_remote.c)
endif()

# ---- libfilm-pool: keep, search, deduplicate, link ----
set(FILM_POOL_SOURCES
  # index: vectors and words to neighbours
  src/index/cells.c src/index/codes.c src/index/codes_kernel.c src/index/graph.c
  src/index/graph_build.c src/index/graph_check.c src/index/graph_prune.c src/index/graph_remove.c
  src/index/graph_walk.c src/index/index.c src/index/index_file.c src/index/lexical.c
  src/index/lexical_search.c src/index/scan.c src/index/sketch.c src/index/terms.c
  src/index/vector_index.c
  # dedup: records to duplicates, without SQLite
  src/dedup/blocking.c src/dedup/blocking_score.c src/dedup/candidates.c
  src/dedup/candidates_known.c src/dedup/candidates_near.c src/dedup/cluster.c
  src/dedup/cluster_pairs.c src/dedup/dedup.c src/dedup/dedup_clusters.c
  src/dedup/dedup_judge.c src/dedup/dedup_report.c src/dedup/link.c
  src/dedup/others.c src/dedup/recall.c src/dedup/record_set.c
  src/dedup/record_set_read.c
  src/dedup/row_fields.c
  # store: rows of a pool in SQLite
  src/store/db.c src/store/lineage.c src/store/lock_owner.c src/store/schema.c
  src/store/sqlite_memory.c src/store/store_changes.c src/store/store_copy.c
  src/store/store_labels.c src/store/store_model.c src/store/store_sentences.c
  # remote: rows of a pool in PostgreSQL
  src/remote/row.c ${FILM_REMOTE_SOURCES}
  # pool: many sentences, kept
  src/pool/add.c src/pool/batch.c src/pool/best.c src/pool/check.c src/pool/check_recall.c
  src/pool/check_sentences.c src/pool/cluster_edit.c src/pool/cluster_list.c src/pool/create.c
  src/pool/dedup_pool.c src/pool/export.c src/pool/learn.c src/pool/learn_compare.c
  src/pool/learn_labels.c src/pool/model_history.c src/pool/pool.c src/pool/pool_rows.c
  src/pool/pool_words.c src/pool/restore.c src/pool/review.c src/pool/sample.c src/pool/search.c
  src/pool/shared.c src/pool/snapshot.c src/pool/thresholds.c src/pool/update.c
)

# ---- libfilm-train: learn, measure, report; encoders ----
set(FILM_TRAIN_SOURCES
  # la: linear algebra
  src/la/blas.c src/la/csr.c src/la/dense.c src/la/flat.c src/la/krylov.c
  src/la/ortho.c src/la/stiefel.c src/la/svd.c src/la/svd_dense.c
  # bert: BERT and black-box encoders
  src/bert/bert.c src/bert/bert_config.c src/bert/bert_encode.c src/bert/bert_file.c
  src/bert/bert_forward.c src/bert/bert_int8.c src/bert/bert_json.c src/bert/bert_kernel.c
  src/bert/bert_tokenizer.c src/bert/bert_weights.c src/bert/deep.c src/bert/deep_file.c
  src/bert/deep_layers.c src/bert/deep_words.c src/bert/film_bert.c src/bert/network.c
  src/bert/vector_cache.c src/bert/wordpiece.c
  # learn: labels to maps, evidence and trees
  src/learn/adam.c src/learn/answered_fit.c src/learn/binomial.c src/learn/boosting.c
  src/learn/boosting_bins.c src/learn/calibrate_fit.c src/learn/certain_threshold.c
  src/learn/classifier_fit.c src/learn/classifier_learn.c src/learn/classifier_rule.c
  src/learn/corpus.c src/learn/corpus_triplets.c src/learn/decision_threshold.c
  src/learn/deep_learn.c src/learn/deep_loss.c src/learn/edit_scope.c src/learn/edit_words.c
  src/learn/edits.c src/learn/evidence_fit.c src/learn/evidence_items.c
  src/learn/evidence_rows.c src/learn/features_fit.c src/learn/features_matrix.c
  src/learn/film.c src/learn/film_hinge_loss.c src/learn/film_problem.c src/learn/folds.c
  src/learn/guarantees_fit.c src/learn/hard_negatives.c src/learn/judge.c
  src/learn/known_matches_build.c src/learn/labelled_edits.c src/learn/labels.c
  src/learn/learn.c src/learn/learn_decision.c src/learn/learn_deep.c src/learn/learn_film.c
  src/learn/learn_mfilm.c src/learn/learn_network.c src/learn/learn_rank.c
  src/learn/linear_fit.c src/learn/made_up.c src/learn/made_up_pairs.c src/learn/memory_build.c
  src/learn/memory_fit.c src/learn/mfilm.c src/learn/near_misses.c src/learn/operating.c
  src/learn/out_of_fold.c src/learn/packed_rows.c src/learn/pair_lists.c src/learn/parent_fit.c
  src/learn/prior.c src/learn/prior_fit.c src/learn/promise.c src/learn/questions.c
  src/learn/rank.c src/learn/rank_batch.c src/learn/rank_draw.c src/learn/rank_kernel.c
  src/learn/rank_map.c src/learn/rows.c src/learn/stream.c src/learn/training_log.c
  src/learn/tree_rows.c src/learn/trees_cover.c src/learn/triplets.c src/learn/word_vectors.c
  # eval: figures
  src/eval/against.c src/eval/answer.c src/eval/bootstrap.c src/eval/categories.c
  src/eval/classes.c src/eval/eval.c src/eval/eval_api.c src/eval/knn.c src/eval/mcnemar.c
  src/eval/measures.c src/eval/model_answers.c src/eval/neighbours.c src/eval/read.c
  src/eval/request.c src/eval/retrieval.c
  # train: files to a model
  src/train/calibration.c src/train/cross_validate.c src/train/earlier_models.c
  src/train/examples_sample.c src/train/field_guess.c src/train/hold_out.c
  src/train/known_words.c src/train/options.c src/train/pairs.c src/train/plan.c
  src/train/reference.c src/train/spill.c src/train/split.c src/train/train.c
  src/train/train_api.c src/train/training_rows.c
  # report: a page about a model
  src/report/audit.c src/report/data.c src/report/dimensions.c src/report/file_stats.c
  src/report/labels.c src/report/map.c src/report/mistakes.c src/report/page.c src/report/put.c
  src/report/quality.c src/report/reasons.c src/report/report.c src/report/shapes.c
  src/report/systems.c
)

# ---- the program, and its modules: verbs that need libfilm-pool or libfilm-train ----
set(FILM_CLI_SOURCES
  cli/completions.c cli/describe.c cli/edit.c cli/embed.c cli/explain.c cli/help.c cli/info.c
  cli/kept.c cli/main.c cli/match.c cli/models.c cli/modules.c cli/options.c
  cli/page.c cli/predict.c cli/record_table.c cli/sheet.c cli/stream.c cli/terminal.c
  cli/verbs_film.c cli/why.c server/private_file.c
  server/terminal_text.c
)
set(FILM_CLI_POOL_SOURCES
  cli/classify.c cli/dedup.c cli/link.c cli/pool.c cli/pool_add.c cli/pool_clusters.c
  cli/pool_label.c cli/pool_learn.c cli/pool_list.c cli/pool_start.c cli/pool_threshold.c
  cli/pool_words.c cli/review.c cli/search.c cli/serve.c cli/verbs_pool.c
)
set(FILM_CLI_TRAIN_SOURCES
  cli/eval.c cli/report.c cli/split.c cli/train.c cli/train_calls.c cli/train_options.c
  cli/train_pools.c cli/verbs_train.c
)
set(FILM_WORKBOOK_SOURCES cli/workbook.c cli/zip.c) # .xlsx
set(FILM_SERVER_SOURCES
  server/access_log.c server/answer_about.c server/answer_classify.c server/answer_clusters.c
  server/answer_dedup.c server/answer_edit.c server/answer_embed.c server/answer_learn.c
  server/answer_match.c server/answer_pool.c server/answer_review.c server/answer_start.c
  server/answer_thresholds.c server/assets.c server/background.c server/bytes.c
  server/connections.c server/exchange.c server/fields.c server/http.c server/leases.c
  server/listen.c server/message.c server/metrics.c server/private_file.c server/raw_head.c server/route.c server/serve.c
  server/service.c server/terminal_text.c server/work_queue.c
)
