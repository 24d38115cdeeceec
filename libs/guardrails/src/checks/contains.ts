import { defineCheck, type TextMatch, type WindowScan } from '../check';
import { reduceInOrder, then, type Eventually } from '../eventually';
import { object, scopeParameter, textList, textsOf } from '../parameters';
import { piecesOf } from '../text/pieces';
import type { Scope } from '../text/scope';
import { sortedWords, WordFollower } from '../text/word-follower';
import type { Pace } from '../work';

interface Parameters {
  readonly words: readonly string[];
  readonly operator: 'any' | 'all' | 'none';
  readonly caseSensitive: boolean;
  readonly scope: readonly Scope[];
}

export const contains = defineCheck<Parameters>({
  id: 'default.contains',
  doc: 'The texts contain any, all or none of the words.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: false,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    {
      words: { ...textList(500), minItems: 1 },
      operator: { enum: ['any', 'all', 'none'], default: 'any' },
      caseSensitive: { type: 'boolean', default: true },
      scope: scopeParameter('messages', 'tool_results'),
    },
    ['words'],
  ),
  example: { words: ['Apollo', 'Gemini'], operator: 'none', caseSensitive: false, scope: ['all'] },
  prepare({ words, operator, caseSensitive, scope }) {
    const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
    const wanted = [...new Set(words.map(fold))];
    const overlap = Math.max(...wanted.map(({ length }) => length));
    return {
      evaluate(subject, pace) {
        const searched = reduceInOrder(textsOf(subject, scope), new Set(wanted), (missing, text) =>
          reduceInOrder(piecesOf(text, overlap), missing, (left, piece) =>
            search(piece, { left, fold, pace }),
          ),
        );
        return then(searched, ({ size: missing }) => {
          const found = wanted.length - missing;
          const verdict = operator === 'none' ? found === 0 : operator === 'any' ? found > 0 : missing === 0;
          return { verdict, data: { operator, found, missing } };
        });
      },
      ...(operator === 'none' ? { window: { ...scanFor(words, caseSensitive), scope } } : {}),
    };
  },
});

/** Characters of a piece that take one unit of work when searched for a short word. */
const SEARCHED_OF_UNIT = 16;
/**
 * Word length at which each character of the piece costs a whole unit; in the worst case each is
 * compared with every character of the word.
 */
const WORD_OF_UNIT = 1_024;

interface WordSearch {
  /** Words that have not been found yet. */
  readonly left: Set<string>;
  readonly fold: (text: string) => string;
  readonly pace: Pace;
}

/** Removes the words that a piece contains from those that are left. */
function search(piece: string, { left, fold, pace }: WordSearch): Eventually<Set<string>> {
  const folded = fold(piece);
  return reduceInOrder([...left], left, (missing, word) => {
    const units = folded.length * (1 / SEARCHED_OF_UNIT + word.length / WORD_OF_UNIT);
    return then(pace.step(units + 1), () => {
      if (folded.includes(word)) missing.delete(word);
      return missing;
    });
  });
}

/**
 * Builds the scan of a stream. Lower case can be longer than the original (`İ`). A case-insensitive
 * scan then cannot map positions to the original, so its finding is the whole text.
 */
function scanFor(words: readonly string[], caseSensitive: boolean): Omit<WindowScan, 'scope'> {
  const wanted = words.map((word) => (caseSensitive ? word : word.toLowerCase()));
  const sorted = sortedWords(wanted, caseSensitive);
  const longest = Math.max(...sorted.map(({ length }) => length));
  return {
    lengthMax: Math.max(...words.map(({ length }) => length)) * (caseSensitive ? 1 : 3),
    denies: true,
    find(text) {
      const folded = caseSensitive ? text : text.toLowerCase();
      const findings: TextMatch[] = [];
      for (const word of wanted) {
        const start = folded.indexOf(word);
        if (start === -1) continue;
        if (folded.length !== text.length)
          return [{ start: 0, end: text.length, label: 'word', replacement: null }];
        for (let at = start; at !== -1; at = folded.indexOf(word, at + word.length)) {
          findings.push({ start: at, end: at + word.length, label: 'word', replacement: null });
        }
      }
      return findings.sort((a, b) => a.start - b.start);
    },
    follow: () => new WordFollower(sorted, longest, caseSensitive),
  };
}
