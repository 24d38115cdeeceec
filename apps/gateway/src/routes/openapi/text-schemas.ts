import { MODERATION_CATEGORIES } from '@gw/providers';
import {
  constant,
  described,
  flag,
  integer,
  list,
  names,
  object,
  ref,
  text,
  unixSeconds,
  type Schema,
} from './schema';

const number: Schema = { type: 'number' };

const perCategory = (schema: Schema): Schema =>
  object(Object.fromEntries(MODERATION_CATEGORIES.map((name) => [name, schema])), MODERATION_CATEGORIES);

export const TEXT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Completion: object(
    {
      id: text,
      object: constant('text_completion'),
      created: unixSeconds,
      model: text,
      system_fingerprint: described(text, 'Changes with the backend; compare it together with seed.'),
      choices: list(ref('CompletionChoice')),
      usage: ref('CompletionUsage'),
    },
    ['id', 'object', 'created', 'model', 'choices'],
  ),
  CompletionChoice: object(
    {
      finish_reason: described({ type: ['string', 'null'] }, 'stop, or the provider’s own reason.'),
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
          code: described(text, 'Error family, such as AB01 for an invalid request.'),
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
  GoogleError: object(
    {
      error: object(
        {
          code: described(number, 'The HTTP status.'),
          message: text,
          status: described(text, 'Google’s name of the failure, such as `INVALID_ARGUMENT`.'),
          gateway_type: described(text, 'The gateway’s own stable name of the failure.'),
        },
        ['code', 'message', 'status'],
      ),
    },
    ['error'],
  ),
};
