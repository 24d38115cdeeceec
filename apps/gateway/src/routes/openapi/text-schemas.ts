import { MODERATION_CATEGORIES } from '@gw/providers';
import {
  between,
  constant,
  described,
  flag,
  integer,
  list,
  names,
  object,
  ref,
  request,
  text,
  unixSeconds,
  type Schema,
} from './schema';

const SEED_MAX = 9_223_372_036_854_776_000;
const number: Schema = { type: 'number' };

/** Set only together with `stream: true`. */
const streamOptionsNeedStream: Schema = {
  if: { properties: { stream_options: { type: 'object' } }, required: ['stream_options'] },
  then: { properties: { stream: { const: true } }, required: ['stream'] },
};
/** Candidates are compared before one is answered, so they cannot be streamed. */
const bestOfIsNotStreamed: Schema = {
  if: { properties: { best_of: { type: 'integer' } }, required: ['best_of'] },
  then: { properties: { stream: { not: { const: true } } } },
};

const perCategory = (schema: Schema): Schema =>
  object(Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, schema])), MODERATION_CATEGORIES);

export const TEXT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Completion: object(
    {
      id: text,
      object: constant('text_completion'),
      created: unixSeconds,
      model: text,
      system_fingerprint: described(text, 'Changes when the backend does; compare it together with seed.'),
      choices: list(ref('CompletionChoice')),
      usage: ref('CompletionUsage'),
    },
    ['id', 'object', 'created', 'model', 'choices'],
  ),
  CompletionChoice: object(
    {
      finish_reason: described({ type: ['string', 'null'] }, 'stop, or what the provider names instead.'),
      index: integer,
      logprobs: {
        ...object({
          text_offset: list(integer),
          token_logprobs: list({ type: ['number', 'null'] }),
          tokens: list(text),
          top_logprobs: list({ type: ['object', 'null'] }),
        }),
        type: ['object', 'null'],
      },
      text,
    },
    ['finish_reason', 'index', 'text'],
  ),
  CompletionUsage: object(
    {
      prompt_tokens: integer,
      completion_tokens: integer,
      total_tokens: integer,
      completion_tokens_details: object({
        reasoning_tokens: integer,
        accepted_prediction_tokens: integer,
        rejected_prediction_tokens: integer,
      }),
      prompt_tokens_details: object({ cached_tokens: integer }),
    },
    ['prompt_tokens', 'completion_tokens', 'total_tokens'],
  ),
  CreateCompletionRequest: {
    ...request({
      model: text,
      prompt: {
        anyOf: [text, list(text), list(integer), list(list(integer))],
        description: 'Left out: generation starts as from a new document.',
      },
      best_of: described(between('integer', 0, 20), 'Must be greater than n; cannot be streamed.'),
      echo: flag,
      frequency_penalty: between('number', -2, 2),
      logit_bias: { type: 'object', additionalProperties: between('number', -100, 100) },
      logprobs: between('integer', 0, 5),
      max_tokens: { ...between('integer', 0), default: 16 },
      n: { ...between('integer', 1, 128), default: 1 },
      presence_penalty: between('number', -2, 2),
      seed: between('integer', -SEED_MAX, SEED_MAX),
      stop: { anyOf: [text, list(text, 4)] },
      stream: described(flag, 'Answers data-only server-sent events, ended by `data: [DONE]`.'),
      stream_options: described(request({ include_usage: flag }), 'Only when stream is true.'),
      suffix: text,
      temperature: { ...between('number', 0, 2), default: 1 },
      top_p: { ...between('number', 0, 1), default: 1 },
      user: text,
    }),
    allOf: [streamOptionsNeedStream, bestOfIsNotStreamed],
  },
  CreateModerationRequest: request(
    {
      input: described(
        {
          anyOf: [
            text,
            { ...list(text), minItems: 1 },
            { ...list(object({ type: text }, ['type'])), minItems: 1 },
          ],
        },
        'The text to classify.',
      ),
      model: described(
        { ...text, default: 'text-moderation-latest' },
        'text-moderation-latest, text-moderation-stable, or another model of the provider.',
      ),
    },
    ['input'],
  ),
  Moderation: object(
    {
      id: text,
      model: text,
      results: list(
        object(
          {
            flagged: flag,
            categories: perCategory(flag),
            category_scores: perCategory(number),
          },
          ['flagged', 'categories', 'category_scores'],
        ),
      ),
    },
    ['id', 'model', 'results'],
  ),
  Error: object(
    {
      error: object(
        {
          message: text,
          type: described(text, 'Stable name of the failure.'),
          param: { type: ['string', 'null'], description: 'The field or header at fault.' },
          code: described(text, 'Family of the failure, such as AB01 for a request that is not valid.'),
          request_id: { type: ['string', 'null'] },
          details: list(object({ path: text, message: text }, ['path', 'message'])),
        },
        ['message', 'type', 'param', 'code', 'request_id'],
      ),
    },
    ['error'],
  ),
  AnthropicError: object(
    {
      type: constant('error'),
      error: object(
        {
          type: names(
            'invalid_request_error',
            'authentication_error',
            'permission_error',
            'not_found_error',
            'request_too_large',
            'rate_limit_error',
            'overloaded_error',
            'timeout_error',
            'api_error',
          ),
          message: text,
          gateway_type: described(text, 'The gateway’s own stable name of the failure.'),
        },
        ['type', 'message'],
      ),
    },
    ['type', 'error'],
  ),
};
