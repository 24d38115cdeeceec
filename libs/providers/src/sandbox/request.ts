import { asObject, asString } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../provider';
import { readDials, type Dials, type UsageDial } from './dials';
import { countTokens } from './text';

/** A request to the sandbox, parsed as far as needed. */
export interface SandboxRequest {
  readonly body: JsonObject;
  /** Name without dials. */
  readonly model: string;
  readonly dials: Dials;
  /** Derived from the body: equal bodies have equal ids. */
  readonly id: string;
}

/** A whole response, or the events of a stream: opening, content and closing ones. */
export type SandboxResponse =
  | { readonly kind: 'json'; readonly body: JsonObject }
  | {
      readonly kind: 'stream';
      readonly opening: readonly JsonObject[];
      /**
       * Events created when they are sent, so that a stream that is not read takes little memory.
       * Iterated once.
       */
      readonly content: Iterable<JsonObject>;
      /** Number of events in `content`. */
      readonly length: number;
      readonly closing: readonly JsonObject[];
    };

export const MODELS = ['sandbox-small', 'sandbox-large'] as const;
/** 2025-01-01. The sandbox has no clock, so that equal requests get equal responses. */
export const CREATED = 1_735_689_600;
export const FINGERPRINT = 'sandbox';
/** Maximum chunks of one stream, over all its choices. */
export const PIECES_MAX = 10_000;
const STREAM_MS_MAX = 600_000;

export const invalid = (message: string, param: string): GatewayError =>
  new GatewayError('validation_failed', { message, param });

/** Returns null when the parameter is absent or null. */
export function readInteger(body: JsonObject, name: string, min: number, max: number): number | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(`${name} must be a whole number from ${String(min)} to ${String(max)}.`, name);
}

export function readStop(body: JsonObject): readonly string[] {
  const stop = body['stop'];
  const list = stop === undefined || stop === null ? [] : Array.isArray(stop) ? stop : [stop];
  const texts = list.filter((item): item is string => typeof item === 'string' && item !== '');
  if (texts.length === list.length && list.length <= 4) return texts;
  throw invalid('stop must be a string or a list of up to 4 strings.', 'stop');
}

export const includesUsage = (body: JsonObject): boolean =>
  asObject(body['stream_options'])?.['include_usage'] === true;

/** Splits the dials from the model name. An unknown model is a 404, as at a provider. */
export function readModel(
  body: JsonObject,
  metadata: Readonly<Record<string, string>>,
  others: readonly string[] = [],
): { readonly model: string; readonly dials: Dials } {
  const named = asString(body['model']) ?? others[0] ?? null;
  if (named === null) throw invalid('model is required.', 'model');
  const read = readDials(named, metadata);
  if (![...MODELS, ...others].includes(read.model)) {
    throw new GatewayError('not_found', {
      message: `The sandbox has no such model; use ${MODELS.join(' or ')}.`,
      param: 'model',
    });
  }
  return read;
}

/** Refuses a request with too many chunks or too long a duration. */
export function checkSize(dials: Dials, pieces: number): void {
  if (pieces > PIECES_MAX)
    throw invalid(`The response would have more than ${String(PIECES_MAX)} chunks; request fewer.`, 'n');
  if (pieces * dials.gap > STREAM_MS_MAX)
    throw invalid('The stream would take more than ten minutes; reduce gap or chunks.', 'model');
}

/** Returns OpenAI's `usage` for a prompt and its completion; undefined when the dial is `none`. */
export function usageOf(dial: UsageDial, prompt: string, completion: string): JsonObject | undefined {
  if (dial === 'none') return undefined;
  const factor = dial === 'wrong' ? 10 : 1;
  const promptTokens = countTokens(prompt) * factor;
  const completionTokens = countTokens(completion) * factor;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: dial === 'wrong' ? 1 : promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
