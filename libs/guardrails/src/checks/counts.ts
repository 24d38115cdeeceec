import { defineCheck } from '../check';
import { reduceInOrder, then, type Eventually } from '../eventually';
import { NOT_PARAMETER, object, scopeParameter, textsOrEmpty } from '../parameters';
import { overPieces, overRanges } from '../text/pieces';
import type { Scope } from '../text/scope';
import type { Pace } from '../work';

interface CountParameters {
  readonly not: boolean;
  readonly scope: readonly Scope[];
  readonly [bound: string]: unknown;
}

/** Maximum counts shown in a result. */
const SHOWN_MAX = 20;

/** Defines a check on a count in each text: a message, or each choice of a response. */
function countCheck(
  noun: 'Words' | 'Characters' | 'Sentences',
  defaultMax: number,
  count: (text: string, pace: Pace) => Eventually<number>,
) {
  const [minName, maxName] = [`min${noun}`, `max${noun}`];
  const plural = noun.toLowerCase();
  return defineCheck<CountParameters>({
    id: `default.${plural.slice(0, -1)}Count`,
    doc: `The number of ${plural} of each text is within bounds.`,
    kind: 'text',
    stages: ['input', 'output'],
    allowedForMcpTools: true,
    wholeResponse: true,
    transforms: false,
    timeoutMs: 1_000,
    parameters: object({
      [minName]: { type: 'integer', minimum: 0, default: 0 },
      [maxName]: { type: 'integer', minimum: 0, default: defaultMax },
      not: NOT_PARAMETER,
      scope: scopeParameter('last_message'),
    }),
    example: { [minName]: 1, [maxName]: 200, not: false, scope: ['last_message'] },
    prepare(parameters, report) {
      const { not, scope } = parameters;
      const min = Number(parameters[minName]);
      const max = Number(parameters[maxName]);
      if (min > max) report([minName], 'bounds', `must not be above ${maxName}`, min);
      return {
        evaluate(subject, pace) {
          const first = { shown: [] as number[], within: true };
          const counted = reduceInOrder(textsOrEmpty(subject, scope), first, ({ shown, within }, text) =>
            then(count(text, pace), (number) => {
              if (shown.length < SHOWN_MAX) shown.push(number);
              return { shown, within: within && number >= min && number <= max };
            }),
          );
          return then(counted, ({ shown, within }) => ({
            verdict: within !== not,
            data: { [plural]: shown, min, max, not },
          }));
        },
      };
    },
  });
}

/**
 * Counts words: runs of characters other than white space, and in scripts without spaces the words
 * that `Intl.Segmenter` finds.
 */
export const wordCount = countCheck('Words', 99_999, countWords);
export const characterCount = countCheck('Characters', 9_999_999, (text, pace) =>
  then(pace.step(1), () => text.length),
);
export const sentenceCount = countCheck('Sentences', 99_999, countSentences);

const UNSPACED = /[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/;
let segmenter: Intl.Segmenter | undefined;

function countWords(text: string, pace: Pace): Eventually<number> {
  if (UNSPACED.test(text))
    return overPieces(text, 0, (words, piece) => words + countUnspaced(piece), { pace });
  const count = (first: number, from: number, to: number): number => {
    let words = first;
    let inWord = from > 0 && !isWhiteSpace(text.charCodeAt(from - 1));
    for (let index = from; index < to; index++) {
      const isSpace = isWhiteSpace(text.charCodeAt(index));
      if (!isSpace && !inWord) words++;
      inWord = !isSpace;
    }
    return words;
  };
  return overRanges(text.length, 0, count, pace);
}

function countUnspaced(piece: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const { isWordLike } of segmenter.segment(piece)) if (isWordLike) words++;
  return words;
}

const isWhiteSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0xa0 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x3000;

/** Abbreviations within sentences, without their last mark. */
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx|no|mr|mrs|ms|dr|prof|st|z\.b|d\.h|u\.a|bzw|ca|p\.ej|p\. ej)$/i;

/** Whether a full stop belongs to an abbreviation, so that the sentence continues. */
const isAbbreviated = (text: string, mark: number): boolean =>
  text[mark] === '.' &&
  text[mark + 1] === ' ' &&
  mark + 2 < text.length &&
  ABBREVIATION.test(text.slice(Math.max(0, mark - 8), mark));

function endsSentence(text: string, mark: number): boolean {
  const next = text[mark + 1];
  const ends = next === undefined || '。！？'.includes(text[mark] ?? '') || /[\s.!?"')\]]/.test(next);
  return ends && !isAbbreviated(text, mark);
}

/**
 * Counts sentence ends. A run of marks (`?!`, `...`) is one; a mark within a word or number
 * (`3.14`, `a.b`) is none.
 */
function countSentences(text: string, pace: Pace): Eventually<number> {
  const count = (state: SentenceCount, from: number, to: number): SentenceCount => {
    let { sentences, open } = state;
    for (let index = from; index < to; index++) {
      const char = text[index] ?? '';
      const isMark = '.!?。！？'.includes(char);
      if (isMark && open) {
        if (endsSentence(text, index)) {
          sentences++;
          open = false;
        }
      } else if (!isMark && !isWhiteSpace(char.charCodeAt(0))) open = open || /[\p{L}\p{N}]/u.test(char);
    }
    return { sentences, open };
  };
  const counted = overRanges(text.length, { sentences: 0, open: false }, count, pace);
  return then(counted, ({ sentences, open }) => (open ? sentences + 1 : sentences));
}

interface SentenceCount {
  readonly sentences: number;
  readonly open: boolean;
}
