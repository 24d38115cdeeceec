import type { JsonObject } from './json';

export interface GuardrailCheckEntry {
  /** `<plugin>.<check>`; without a dot it is one of `default`. */
  readonly id: string;
  readonly name?: string;
  readonly parameters?: JsonObject;
  readonly is_enabled?: boolean;
  /** Milliseconds, instead of the check's own. */
  readonly timeout?: number;
}

export interface GuardrailFeedback {
  /** -10 to 10. */
  readonly value?: number;
  /** 0 to 1. */
  readonly weight?: number;
  readonly metadata?: string | JsonObject;
}

/** What a guardrail does with its verdict. */
export interface GuardrailActions {
  /** A failed verdict ends the request with 446; otherwise it only marks the answer with 246. */
  readonly deny?: boolean;
  /** Runs in the background, for the log alone. */
  readonly async?: boolean;
  /** One check after the other, each on what the one before it has made of the body. */
  readonly sequential?: boolean;
  /** A check that cannot decide passes. Absent: it fails where the guardrail denies, and passes where it only marks. */
  readonly fail_open?: boolean;
  /** Judges and is logged, but changes neither the answer nor the body. */
  readonly monitor?: boolean;
  /** Message for a denied caller, in place of the default sentence. */
  readonly message?: string;
  /** For checks that need the whole answer: hold a stream back until they have seen it, or mark it at its end. */
  readonly on_stream?: 'hold' | 'mark';
  /** Milliseconds of every check that has no own `timeout`. */
  readonly timeout?: number;
  readonly on_success?: { readonly feedback?: GuardrailFeedback };
  readonly on_fail?: { readonly feedback?: GuardrailFeedback };
}

/** A guardrail as it is saved. */
export interface GuardrailDocument {
  readonly checks: readonly GuardrailCheckEntry[];
  readonly actions?: GuardrailActions;
}

/** Members of a guardrail written out in a config that are not check ids. */
export const ACTION_NAMES = [
  'deny',
  'async',
  'sequential',
  'fail_open',
  'monitor',
  'message',
  'on_stream',
  'timeout',
  'on_success',
  'on_fail',
] as const;

const feedback = {
  type: 'object',
  properties: {
    feedback: {
      type: 'object',
      properties: {
        value: { type: 'number', minimum: -10, maximum: 10 },
        weight: { type: 'number', minimum: 0, maximum: 1 },
        metadata: { type: ['string', 'object'], maxLength: 4_096, maxProperties: 50 },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

const timeout = { type: 'integer', minimum: 1, maximum: 60_000 } as const;

const actions = {
  type: 'object',
  properties: {
    deny: { type: 'boolean' },
    async: { type: 'boolean' },
    sequential: { type: 'boolean' },
    fail_open: { type: 'boolean' },
    monitor: { type: 'boolean' },
    message: { type: 'string', minLength: 1, maxLength: 500 },
    on_stream: { enum: ['hold', 'mark'] },
    timeout,
    on_success: feedback,
    on_fail: feedback,
  },
  additionalProperties: false,
} as const;

/** JSON Schema (2020-12) of a saved guardrail's `checks` and `actions`; each check's parameters have their own. */
export const GUARDRAIL_SCHEMA = {
  type: 'object',
  required: ['checks'],
  properties: {
    checks: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', minLength: 1, maxLength: 100 },
          name: { type: 'string', minLength: 1, maxLength: 255 },
          parameters: { type: 'object' },
          is_enabled: { type: 'boolean' },
          timeout,
        },
        additionalProperties: false,
      },
    },
    actions,
  },
  additionalProperties: false,
} as const;
