/** Where a model comes from: its bytes, or something that has them (a Blob, a File, a Response of fetch). */
export type Source = Uint8Array | ArrayBuffer | Blob | Response;

/** A sentence, or a record: an object with a value per field. */
export type Sentence = string | Record<string, unknown>;

export interface OpenOptions {
    /** The bytes of film.wasm or film-simd.wasm, where they cannot be fetched from beside this file. */
    wasm?: Uint8Array | ArrayBuffer;
}

/** Opens a model, which may be compressed with zstd. The bytes are copied. Throws a FilmError if they are not a model. */
export function open(source: Source | Promise<Source>, options?: OpenOptions): Promise<Model>;

export interface AnswerOptions {
    /** The prior probability that two sentences mean the same; default 0.5. */
    prior?: number;
    /** false: ignore which questions were labelled in training. Default true. */
    memory?: boolean;
}

export interface Verdict {
    /** The probability that the two sentences mean the same; the same bits as from the C library. */
    probability: number;
    /** Whether the probability reaches the model's operating point. */
    same: boolean;
    /** The similarity of the two vectors. */
    similarity: number;
    logOdds: number;
    bias: number;
}

export interface Reason {
    id: string;
    text: string;
    weight: number;
    kind?: string;
    side?: "a" | "b";
    span?: [number, number];
    [more: string]: unknown;
}

/** The JSON of film explain. Spans are bytes of UTF-8. Bias, words and groups add up to log_odds. */
export interface Explanation {
    a: Sentence;
    b: Sentence;
    probability: number;
    same: boolean;
    similarity: number;
    log_odds: number;
    bias: number;
    words: { text: string; side: "a" | "b"; span: [number, number]; weight: number }[];
    groups: { id: string; name: string; title: string; weight: number; reasons: Reason[] }[];
    links: { a: { text: string; span: [number, number] }; b: { text: string; span: [number, number] }; share: number }[];
    facts: { name: string; text: string }[];
    examples: { a: string; b: string; same: boolean; similarity: number }[];
}

export interface Duplicates {
    /** Clusters of two or more sentences, in the order of their first sentence. */
    clusters: {
        size: number;
        /** The representative first, then by decreasing probability. */
        members: { index: number; text: string; probability: number; representative: boolean }[];
    }[];
    records: number;
    distinct: number;
    /** Pairs at or above the threshold, and those of them that remain with the prior 0.05. */
    pairs: number;
    sure: number;
    threshold: number;
}

export interface Found extends Verdict {
    /** The position in the list. */
    index: number;
    text: string;
}

/** Some thousand sentences with their vectors. */
export class Sentences {
    readonly texts: readonly string[];
    /**
     * Finds the sentences that mean the same as the query, the best first. The query is compared with every vector; the
     * nearest `candidates` (default 50) are judged by the model. `k` is the number of results, default 10.
     */
    search(query: string, options?: AnswerOptions & { k?: number; candidates?: number }): Found[];
}

export class Model {
    /** The length of a vector; 0 for a model without vectors. */
    readonly dim: number;
    /** The version of FILM. */
    readonly version: string;
    readonly similarity: "cosine" | "dot" | "euclidean";
    /** Decides whether two sentences mean the same. */
    match(a: Sentence, b: Sentence, options?: AnswerOptions): Verdict;
    /** Explains a verdict. `reasons` limits the reasons of each group; default: all. */
    explain(a: Sentence, b: Sentence, options?: AnswerOptions & { reasons?: number }): Explanation;
    /** Settings, sizes and training figures: the JSON of film info --json. */
    describe(): Record<string, any>;
    /** The vector of a sentence, or of each. */
    encode(text: string): Float32Array;
    encode(texts: readonly string[]): Float32Array[];
    /** Computes the vectors of a list, to search it. */
    sentences(texts: Iterable<string>): Sentences;
    /** Finds clusters of duplicates, as film dedup does. The default threshold is 0.9. */
    dedup(texts: readonly string[], options?: { threshold?: number; prior?: number }): Duplicates;
    /** Releases the memory. The model cannot be used afterwards. */
    close(): void;
}

/** What is wrong, and what to do. `kind` is "usage", "bad input", "no memory", ... as in C. */
export class FilmError extends Error {
    readonly kind: string;
}
