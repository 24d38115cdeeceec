import { CheckError } from '../check';
import { reduceInOrder, then, type Eventually } from '../eventually';
import { parseJson } from '../json';
import { overRanges } from '../text/pieces';
import type { Pace } from '../work';

const CANDIDATES_MAX = 50;
/** Maximum characters of a text, because each value is parsed in one event-loop turn. */
const JSON_LENGTH_MAX = 1_000_000;

/**
 * Returns the JSON values in a text: the whole text, the fenced blocks, and every outermost object
 * or list in the rest. Reads the text once, so that a text of brackets costs no more than another.
 */
export function jsonIn(text: string, pace: Pace): Eventually<readonly unknown[]> {
  if (text.length > JSON_LENGTH_MAX) {
    throw new CheckError(
      `The text is longer than the ${String(JSON_LENGTH_MAX)} characters that can be searched for JSON.`,
    );
  }
  return then(parsed(text.trim(), pace), (whole) => {
    if (whole !== undefined) return [whole];
    return then(bracketed(text, pace), (pairs) =>
      reduceInOrder(pairs, [] as unknown[], (found, [start, end]) =>
        then(parsed(text.slice(start, end + 1), pace), (value) => {
          if (value !== undefined) found.push(value);
          return found;
        }),
      ),
    );
  });
}

const parsed = (text: string, pace: Pace): Eventually<unknown> =>
  then(pace.step(text.length / 8), () => parseJson(text));

/** Matches a bracket, or a quotation mark that starts a string. */
const TOKENS = /[{}[\]"]/g;
/** Matches an escape, or the end of a string: its quotation mark or the end of its line. */
const STRING_END = /["\n]|\\./gs;

interface Brackets {
  /** Position from which the next token is searched. */
  at: number;
  readonly open: number[];
  readonly pairs: [number, number][];
}

/**
 * Returns the outermost matching pairs of brackets outside strings. Text after an unclosed bracket
 * is searched too.
 */
function bracketed(text: string, pace: Pace): Eventually<readonly (readonly [number, number])[]> {
  const first: Brackets = { at: 0, open: [], pairs: [] };
  const tokens = (state: Brackets, _from: number, to: number): Brackets => {
    while (state.at < to) {
      TOKENS.lastIndex = state.at;
      const token = TOKENS.exec(text);
      state.at = token === null ? text.length : takeToken(text, state, token);
    }
    return state;
  };
  return then(overRanges(text.length, first, tokens, pace), ({ pairs }) => pairs.slice(0, CANDIDATES_MAX));
}

/** Consumes a token; returns the position from which the next one is searched. */
function takeToken(text: string, state: Brackets, { 0: char, index }: RegExpExecArray): number {
  if (char === '"') return state.open.length > 0 ? endOfString(text, index + 1) : index + 1;
  if (char === '{' || char === '[') state.open.push(index);
  else close(text, state, index);
  return index + 1;
}

function endOfString(text: string, from: number): number {
  STRING_END.lastIndex = from;
  for (let found = STRING_END.exec(text); found; found = STRING_END.exec(text)) {
    if (found[0].length === 1) return STRING_END.lastIndex;
  }
  return text.length;
}

/** Closes a bracket. One of another kind turns all open brackets into plain text. */
function close(
  text: string,
  { open, pairs }: { open: number[]; pairs: [number, number][] },
  end: number,
): void {
  const start = open.at(-1);
  if (start === undefined || (text[start] === '{') !== (text[end] === '}')) {
    open.length = 0;
    return;
  }
  open.pop();
  while ((pairs.at(-1)?.[0] ?? -1) > start) pairs.pop();
  pairs.push([start, end]);
}
