import { ONCE_MAX } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** A batch of Gemini's own API that contains its responses. */
export interface GeminiBatch {
  /** `batches/{id}` */
  readonly name: string;
  /** The responses, each in the form of a line of an output file. */
  readonly responses: readonly JsonObject[];
}

const BATCH = /^batches\/[^/]+$/;

/** Returns the batches in a response: those that it lists, or the response itself. */
export function geminiBatchesOf(reported: JsonObject): readonly JsonObject[] {
  const { operations } = reported;
  return Array.isArray(operations) ? operations.slice(0, ONCE_MAX).filter(isObject) : [reported];
}

/**
 * Reads a batch with its responses. Returns null when the value is not a batch, the batch has not
 * ended, or its responses are in a file.
 */
export function geminiBatch({ name, done, response }: JsonObject): GeminiBatch | null {
  if (typeof name !== 'string' || !BATCH.test(name) || done !== true || !isObject(response)) return null;
  const { inlinedResponses } = response;
  const responses = isObject(inlinedResponses) ? inlinedResponses['inlinedResponses'] : null;
  return Array.isArray(responses) ? { name, responses: responses.filter(isObject) } : null;
}
