/** Finds all occurrences of one kind of data in a text, in linear time. */
export type Recognizer = (text: string, emit: (start: number, end: number) => void) => void;

/** Returns whether one of the words is within 40 characters before a position. */
export function isIntroduced(text: string, position: number, words: RegExp): boolean {
  return words.test(text.slice(Math.max(0, position - 40), position));
}

const WORD = /[\p{L}\p{N}_]/u;

/** Returns whether a range is not part of a longer word or number. */
export const isStandalone = (text: string, start: number, end: number): boolean =>
  !WORD.test(text[start - 1] ?? ' ') && !WORD.test(text[end] ?? ' ');

/** Builds a recognizer from a linear, global pattern and a test of its matches. */
export const byPattern =
  (pattern: RegExp, isRight: (match: string, text: string, start: number) => boolean): Recognizer =>
  (text, emit) => {
    for (const match of pattern[Symbol.matchAll](text)) {
      if (isRight(match[0], text, match.index)) emit(match.index, match.index + match[0].length);
    }
  };

export const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');
