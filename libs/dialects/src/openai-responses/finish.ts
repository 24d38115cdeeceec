import type { JsonObject, Part } from '../call';
import type { Finish } from '../response';
import { asObject, asString } from '../values/json';

/** Reads why a response ended. Calls and refusals take precedence over a normal end. */
export function decodeFinish(
  response: JsonObject,
  has: { readonly calls: boolean; readonly refusal: boolean },
): Finish {
  const status = asString(response['status']) ?? 'completed';
  const reason = asString(asObject(response['incomplete_details'])?.['reason']);
  if (status === 'incomplete') {
    return { reason: reason === 'content_filter' ? 'content_filter' : 'length', raw: reason ?? status };
  }
  if (has.calls) return { reason: 'tool_calls', raw: status };
  return { reason: has.refusal ? 'content_filter' : 'stop', raw: status };
}

/** How the API reports why a response ended. */
export interface ResponseStatus {
  readonly status: 'completed' | 'incomplete' | 'failed';
  readonly incomplete_details: { readonly reason: string } | null;
}

/**
 * Returns the status of a response. A refusal is content of a completed response; a filter without
 * a refusal makes the response incomplete.
 */
export function encodeStatus({ reason }: Finish, hasRefusal: boolean): ResponseStatus {
  switch (reason) {
    case 'stop':
    case 'tool_calls':
    case 'pause':
      return { status: 'completed', incomplete_details: null };
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content_filter':
      return hasRefusal
        ? { status: 'completed', incomplete_details: null }
        : { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'error':
      return { status: 'failed', incomplete_details: null };
  }
}

export const isRefusal = ({ kind }: Part): boolean => kind === 'refusal';
