import type { JsonObject } from './json';

export interface GuardrailCheckEntry {
  /** `<plugin>.<check>`; an id without a dot names a check of the plugin `default`. */
  readonly id: string;
  readonly name?: string;
  readonly parameters?: JsonObject;
  readonly is_enabled?: boolean;
  /** Milliseconds; overrides the check's default. */
  readonly timeout?: number;
}

export interface GuardrailFeedback {
  /** From -10 to 10; 5 for a success and -5 for a failure when absent. */
  readonly value?: number;
  /** From 0 to 1; 1 when absent. */
  readonly weight?: number;
  readonly metadata?: string | JsonObject;
}

/** How a guardrail runs its checks, and what follows from its verdict. */
export interface GuardrailActions {
  /**
   * Whether a failed verdict ends the request with 446; otherwise the response is marked with 246.
   */
  readonly deny?: boolean;
  /** Whether the guardrail runs in the background and its verdict appears only in the log. */
  readonly async?: boolean;
  /**
   * Whether the checks run in order, each on the body that the previous one returned. With `deny`,
   * the checks after a failed one are skipped.
   */
  readonly sequential?: boolean;
  /**
   * Whether a check that cannot decide passes. When absent, it fails if the guardrail denies, and
   * passes otherwise.
   */
  readonly fail_open?: boolean;
  /** Whether the guardrail only logs its verdict, and changes neither the response nor the body. */
  readonly monitor?: boolean;
  /** Message for a denied caller, instead of the default one. */
  readonly message?: string;
  /**
   * For checks that need the whole response: whether a stream is held back until they have judged
   * it, or is forwarded and marked at its end. When absent, a guardrail that denies holds it back.
   */
  readonly on_stream?: 'hold' | 'mark';
  /** Milliseconds, for every check without its own `timeout`. */
  readonly timeout?: number;
  readonly on_success?: { readonly feedback?: GuardrailFeedback };
  readonly on_fail?: { readonly feedback?: GuardrailFeedback };
}

/** A saved guardrail. */
export interface GuardrailDocument {
  readonly checks: readonly GuardrailCheckEntry[];
  readonly actions?: GuardrailActions;
}

/** Members of `GuardrailActions`, which an inline guardrail has next to its checks. */
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
] as const satisfies readonly (keyof GuardrailActions)[];

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

/**
 * JSON Schema (2020-12) of a saved guardrail's `checks` and `actions`; each check's parameters have
 * their own schema.
 */
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
