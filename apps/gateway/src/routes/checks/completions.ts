import { isObject } from '@gw/kernel';
import { flag, integer, isAbsent, list, number, object, text, documented, named, rule } from './rules';
import type { Schema } from '../openapi/schema';
import { kindOf } from './violations';

const STOPS_MAX = 4;

const isText = (item: unknown): boolean => typeof item === 'string';
const isToken = (item: unknown): boolean => Number.isInteger(item);
const isTokens = (item: unknown): boolean => Array.isArray(item) && item.every(isToken);

const PROMPT: Schema = {
  anyOf: [
    text.schema,
    list(text).schema,
    { type: 'array', items: { type: 'integer' } },
    { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
  ],
  description: 'If omitted, generation starts as from a new document.',
};

const prompt = rule(PROMPT, (value, path, found) => {
  if (typeof value === 'string') return;
  if (Array.isArray(value) && [isText, isToken, isTokens].some((kind) => value.every(kind))) return;
  found.add(path, 'must be a string, or an array of strings, of tokens or of token arrays', kindOf(value));
});

const stops = list(text, STOPS_MAX);
const stop = rule({ anyOf: [text.schema, stops.schema] }, (value, path, found) => {
  if (typeof value !== 'string') stops(value, path, found);
});

const bias = number(-100, 100);
const logitBias = rule({ type: 'object', additionalProperties: bias.schema }, (value, path, found) => {
  if (!isObject(value)) {
    found.add(path, 'must be an object', kindOf(value));
    return;
  }
  for (const [token, item] of Object.entries(value)) {
    if (found.isFull) return;
    bias(item, `${path}.${token.slice(0, 64)}`, found);
  }
});

/** Violation: `stream_options` without `stream: true`. */
const OPTIONS_NEED_STREAM: Schema = {
  if: { properties: { stream_options: { type: 'object' } }, required: ['stream_options'] },
  then: { properties: { stream: { const: true } }, required: ['stream'] },
};
/** Candidates are compared before one is returned, so they cannot be streamed. */
const BEST_OF_IS_WHOLE: Schema = {
  if: { properties: { best_of: { type: 'integer' } }, required: ['best_of'] },
  then: { properties: { stream: { not: { const: true } } } },
};

/** Body of `POST /completions`. */
export const completionBody = named(
  'CreateCompletionRequest',
  object(
    {
      model: text,
      prompt,
      best_of: documented(integer(0, 20), { description: 'Must be greater than n; cannot be streamed.' }),
      echo: flag,
      frequency_penalty: number(-2, 2),
      logit_bias: logitBias,
      logprobs: integer(0, 5),
      max_tokens: documented(integer(0), { default: 16 }),
      n: documented(integer(1, 128), { default: 1 }),
      presence_penalty: number(-2, 2),
      // The bounds are written as in the specification; both are exact in a double.
      seed: integer(-9_223_372_036_854_776_000, 9_223_372_036_854_776_000),
      stop,
      stream: documented(flag, {
        description: 'Returns data-only server-sent events, ended by `data: [DONE]`.',
      }),
      stream_options: documented(object({ include_usage: flag }), {
        description: 'Only when stream is true.',
      }),
      suffix: text,
      temperature: documented(number(0, 2), { default: 1 }),
      top_p: documented(number(0, 1), { default: 1 }),
      user: text,
    },
    {
      togetherSchema: { allOf: [OPTIONS_NEED_STREAM, BEST_OF_IS_WHOLE] },
      together({ best_of: bestOf, n, stream, stream_options: streamOptions }, _, found) {
        if (!isAbsent(bestOf) && stream === true)
          found.add('best_of', 'must not be set when stream is true', kindOf(bestOf));
        if (typeof bestOf === 'number' && typeof n === 'number' && bestOf <= n)
          found.add('best_of', `must be greater than n, which is ${String(n)}`, kindOf(bestOf));
        if (!isAbsent(streamOptions) && stream !== true)
          found.add('stream_options', 'must only be set when stream is true', kindOf(streamOptions));
      },
    },
  ),
);
