import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';

/** A tool in the search index. */
export interface SearchedTool {
  readonly name: string;
  readonly definition: JsonObject;
}

const WORD = /[\p{L}\p{N}]{1,64}/gu;
const QUERY_WORDS_MAX = 32;
const RESULTS_MAX = 50;
const TOOLS_MAX = 10_000;
/** Maximum number of words of one tool, and approximately of all tools together. */
const [WORDS_MAX, WORDS_TOTAL_MAX] = [2_000, 200_000];
/** Constants of BM25 (Robertson and Zaragoza, 2009). */
const [SATURATION, LENGTH_WEIGHT] = [1.2, 0.75];

/** Maximum number of characters that are read for each indexed word. */
const CHARACTERS_PER_WORD = 32;

const wordsOf = (text: string, wordsMax: number): readonly string[] =>
  [
    ...text
      .slice(0, wordsMax * CHARACTERS_PER_WORD)
      .toLowerCase()
      .matchAll(WORD),
  ]
    .slice(0, wordsMax)
    .map(([word]) => word);

function searchedText({ name, definition }: SearchedTool): string {
  const texts = [own(definition, 'title'), own(definition, 'description')].filter(
    (text) => typeof text === 'string',
  );
  const properties = Object.keys(ownObject(ownObject(definition, 'inputSchema'), 'properties'));
  return [name, ...texts, ...properties].join(' ').replaceAll('_', ' ');
}

/** How often each tool has a word, by the index of the tool. */
type Postings = Map<number, number>;

/**
 * An index of tools by the words of their names, titles, descriptions and argument names, built
 * once for all callers. It holds the first 10,000 tools; with many tools, only the first words of
 * each.
 */
export class ToolSearch<T extends SearchedTool> {
  private readonly tools: readonly T[];
  private readonly postings = new Map<string, Postings>();
  private readonly lengths: readonly number[];
  private readonly averageLength: number;

  constructor(tools: readonly T[]) {
    this.tools = tools.slice(0, TOOLS_MAX);
    const wordsMax = Math.min(WORDS_MAX, Math.ceil(WORDS_TOTAL_MAX / Math.max(1, this.tools.length)));
    this.lengths = this.tools.map((tool, at) => {
      const words = wordsOf(searchedText(tool), wordsMax);
      for (const word of words) this.add(word, at);
      return words.length;
    });
    const total = this.lengths.reduce((sum, length) => sum + length, 0);
    this.averageLength = Math.max(1, total / Math.max(1, this.tools.length));
  }

  /** Returns the best matches by BM25 among the tools that `isSeen` accepts; `limit` is 1 to 50. */
  find(query: string, limit: number, isSeen: (tool: T) => boolean = () => true): readonly T[] {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query, QUERY_WORDS_MAX))) this.score(word, scores);
    const wordsMax = Math.min(RESULTS_MAX, Math.max(1, Math.trunc(limit)));
    const found: T[] = [];
    for (const [at] of [...scores].sort((one, other) => other[1] - one[1] || one[0] - other[0])) {
      const tool = this.tools[at];
      if (tool !== undefined && isSeen(tool)) found.push(tool);
      if (found.length === wordsMax) break;
    }
    return found;
  }

  private add(word: string, at: number): void {
    let having = this.postings.get(word);
    if (having === undefined) this.postings.set(word, (having = new Map()));
    having.set(at, (having.get(at) ?? 0) + 1);
  }

  /** Adds the score of one query word to the tools that have it. */
  private score(word: string, scores: Map<number, number>): void {
    const having = this.postings.get(word);
    if (having === undefined) return;
    const rarity = Math.log(1 + (this.tools.length - having.size + 0.5) / (having.size + 0.5));
    for (const [at, count] of having) {
      const length = this.lengths[at] ?? 0;
      const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / this.averageLength);
      scores.set(at, (scores.get(at) ?? 0) + (rarity * count * (SATURATION + 1)) / (count + norm));
    }
  }
}
