import { isObject } from '@gw/kernel';
import type { Members } from '../shapes/members';
import { A2A_ERRORS, A2aError, type A2aErrorKind } from './errors';
import { parsedResponse } from './read-response';

const KINDS_BY_REASON: ReadonlyMap<unknown, A2aErrorKind> = new Map(
  (Object.keys(A2A_ERRORS) as A2aErrorKind[]).flatMap((kind) => {
    const { reason } = A2A_ERRORS[kind];
    return reason === null ? [] : [[reason, kind] as const];
  }),
);

/**
 * Reads a response of the HTTP+JSON binding, or one event of its stream, within `RESPONSE_BOUNDS`;
 * null for an empty body. Throws `A2aError` `invalidAgentResponse`.
 */
export const readRestResponse = (body: Buffer): unknown => (body.length === 0 ? null : parsedResponse(body));

/**
 * Returns the error that a body of the HTTP+JSON binding reports, as JSON-RPC writes it:
 * `google.rpc.Status` of 1.0, and `{code, message}` of 0.3. Returns null for another body.
 */
export function restErrorIn(body: Buffer): Members | null {
  let value: unknown;
  try {
    value = parsedResponse(body);
  } catch (error) {
    if (error instanceof A2aError) return null;
    throw error;
  }
  if (!isObject(value)) return null;
  const { error, code, message } = value;
  if (isObject(error)) return statusError(error);
  return Number.isSafeInteger(code) && typeof message === 'string' ? { code, message } : null;
}

/**
 * Returns the error of a `google.rpc.Status`. Its `code` is the HTTP status; ErrorInfo in its
 * details names the error.
 */
function statusError({ message, details }: Members): Members | null {
  if (typeof message !== 'string') return null;
  const infos: readonly unknown[] = Array.isArray(details) ? (details as unknown[]).slice(0, 20) : [];
  const kind = infos
    .map((info) => (isObject(info) ? KINDS_BY_REASON.get(info['reason']) : undefined))
    .find((found) => found !== undefined);
  return { code: A2A_ERRORS[kind ?? 'internal'].code, message };
}
