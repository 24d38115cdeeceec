import { isObject } from '../../http/json-body';
import { flag, integer, isAbsent, list, number, object, text, type Rule } from './rules';
import { kindOf } from './violations';

const STOPS_MAX = 4;

const isText = (item: unknown): boolean => typeof item === 'string';
const isToken = (item: unknown): boolean => Number.isInteger(item);
const isTokens = (item: unknown): boolean => Array.isArray(item) && item.every(isToken);

const prompt: Rule = (value, path, found) => {
  if (typeof value === 'string') return;
  if (Array.isArray(value) && [isText, isToken, isTokens].some((kind) => value.every(kind))) return;
  found.add(path, 'must be a string, or an array of strings, of tokens or of token arrays', kindOf(value));
};

const stops = list(text, STOPS_MAX);
const stop: Rule = (value, path, found) => {
  if (typeof value !== 'string') stops(value, path, found);
};

const bias = number(-100, 100);
const logitBias: Rule = (value, path, found) => {
  if (!isObject(value)) {
    found.add(path, 'must be an object', kindOf(value));
    return;
  }
  for (const [token, item] of Object.entries(value)) {
    if (found.isFull) return;
    bias(item, `${path}.${token.slice(0, 64)}`, found);
  }
};

/** Body of `POST /completions`. */
export const completionBody = object(
  {
    model: text,
    prompt,
    best_of: integer(0, 20),
    echo: flag,
    frequency_penalty: number(-2, 2),
    logit_bias: logitBias,
    logprobs: integer(0, 5),
    max_tokens: integer(0),
    n: integer(1, 128),
    presence_penalty: number(-2, 2),
    // The bounds as the specification writes them; both are exact in a double.
    seed: integer(-9_223_372_036_854_776_000, 9_223_372_036_854_776_000),
    stop,
    stream: flag,
    stream_options: object({ include_usage: flag }),
    suffix: text,
    temperature: number(0, 2),
    top_p: number(0, 1),
    user: text,
  },
  {
    together({ best_of: bestOf, n, stream, stream_options: streamOptions }, _, found) {
      if (!isAbsent(bestOf) && stream === true)
        found.add('best_of', 'must not be set when stream is true', kindOf(bestOf));
      if (typeof bestOf === 'number' && typeof n === 'number' && bestOf <= n)
        found.add('best_of', `must be greater than n, which is ${String(n)}`, kindOf(bestOf));
      if (!isAbsent(streamOptions) && stream !== true)
        found.add('stream_options', 'must only be set when stream is true', kindOf(streamOptions));
    },
  },
);
