import { fault } from './scim-error';

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | '[' | ']' };

/** Matches an operator or a path, which may contain colons, dots and digits (URNs) and `$ref`. */
const WORD = /[A-Za-z$][\w$:.-]*/y;
/** Matches the rest of a path after a closing bracket: `.value` in `].value`. */
const REST = /\.[A-Za-z$][\w$-]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Matches a JSON string, which must not contain control characters. */
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Splits a filter into tokens in linear time. Throws `invalidFilter`. */
export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < filter.length) {
    const character = filter.charAt(at);
    if (character === ' ' || character === '\t') {
      at += 1;
      continue;
    }
    const [token, length] = tokenAt(filter, at);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function tokenAt(filter: string, at: number): [Token, number] {
  const character = filter.charAt(at);
  if (character === '(' || character === ')' || character === '[' || character === ']') {
    return [{ kind: 'sign', text: character }, 1];
  }
  const string = matchAt(STRING, filter, at);
  if (string !== null) return [{ kind: 'value', value: JSON.parse(string) as string }, string.length];
  const number = matchAt(NUMBER, filter, at);
  if (number !== null) return [{ kind: 'value', value: Number(number) }, number.length];
  const word = matchAt(WORD, filter, at) ?? matchAt(REST, filter, at);
  if (word === null) {
    throw fault('invalidFilter', `The filter cannot be read at character ${String(at + 1)}.`);
  }
  const literal = LITERALS.get(word.toLowerCase());
  return [
    literal === undefined ? { kind: 'word', text: word } : { kind: 'value', value: literal },
    word.length,
  ];
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
