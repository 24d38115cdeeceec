import { ONCE_MAX } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** A batch of Gemini's own API whose answers are in it. */
export interface GeminiBatch {
  /** `batches/{id}` */
  readonly name: string;
  /** Each as a line of a file of answers would have it. */
  readonly answers: readonly JsonObject[];
}

const BATCH = /^batches\/[^/]+$/;

/** The batches that an answer is, or lists. */
export function geminiBatchesOf(reported: JsonObject): readonly JsonObject[] {
  const { operations } = reported;
  return Array.isArray(operations) ? operations.slice(0, ONCE_MAX).filter(isObject) : [reported];
}

/** Null: it is none, is not over yet, or its answers are in a file. */
export function geminiBatch({ name, done, response }: JsonObject): GeminiBatch | null {
  if (typeof name !== 'string' || !BATCH.test(name) || done !== true || !isObject(response)) return null;
  const { inlinedResponses } = response;
  const answers = isObject(inlinedResponses) ? inlinedResponses['inlinedResponses'] : null;
  return Array.isArray(answers) ? { name, answers: answers.filter(isObject) } : null;
}
