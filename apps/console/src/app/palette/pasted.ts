/** What a pasted text names. */
export interface Pasted {
  readonly kind: 'log' | 'trace';
  readonly id: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TRACE = /^[0-9a-f]{32}$/i;
/** A body that is pasted is longer than any name; what is beyond is not read. */
const LENGTH_MAX = 20_000;

/** The request of an error body of ours; null for any other JSON. */
function requestOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('request_id' in error)) return null;
  return typeof error.request_id === 'string' ? error.request_id : null;
}

/** A request id, a trace id, or the request of an error body; null for a text to search by. */
export function pastedIn(text: string): Pasted | null {
  const trimmed = text.trim().slice(0, LENGTH_MAX);
  const id = trimmed.startsWith('#') ? trimmed.slice(1) : trimmed;
  if (UUID.test(id)) return { kind: 'log', id: id.toLowerCase() };
  if (TRACE.test(id)) return { kind: 'trace', id: id.toLowerCase() };
  const start = trimmed.indexOf('{');
  if (start < 0) return null;
  try {
    const request = requestOf(JSON.parse(trimmed.slice(start, trimmed.lastIndexOf('}') + 1)));
    return request !== null && UUID.test(request) ? { kind: 'log', id: request.toLowerCase() } : null;
  } catch {
    return null;
  }
}
