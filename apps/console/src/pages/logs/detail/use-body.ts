import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { openStream, problemFrom, type Problem } from '../../../api';
import type { LoggedBody } from '../../../ui/body';
import type { LogDetail } from './record';

export type Side = 'request' | 'response';

/** Time after which a body that is not shown is dropped from memory. */
const KEPT_MS = 300_000;
const OPERATIONS = { request: 'logs_request', response: 'logs_response' } as const;
const TEXT = /^text\/|json|xml|javascript|x-www-form-urlencoded|event-stream|multipart\//i;

/**
 * Reads the stored bytes of a body and decodes them by content type. A body without stored bytes
 * has a null encoding.
 */
async function readBody(log: LogDetail, side: Side, signal: AbortSignal): Promise<LoggedBody> {
  const { content_type: type, bytes, truncated } = log[side];
  const known = { content_type: type, bytes, truncated };
  try {
    const { stream } = await openStream(OPERATIONS[side], { path: { logId: log.id } }, signal);
    const data = new Uint8Array(await new Response(stream).arrayBuffer());
    return { ...known, ...decoded(data, type, truncated) };
  } catch (thrown) {
    if (signal.aborted || problemFrom(thrown).status !== 404) throw thrown;
    return { ...known, encoding: null, body: null };
  }
}

function decoded(
  data: Uint8Array,
  type: string | null,
  isCut: boolean,
): Pick<LoggedBody, 'encoding' | 'body'> {
  if (data.length === 0) return { encoding: null, body: null };
  const text = type === null || TEXT.test(type) ? utf8(data, isCut) : null;
  if (text === null) return { encoding: 'base64', body: base64(data) };
  const value = type === null || /json/i.test(type) ? parsed(text) : undefined;
  return value === undefined ? { encoding: 'utf8', body: text } : { encoding: 'json', body: value };
}

/**
 * Decodes UTF-8; null when the bytes are not valid UTF-8. Leaves out a character that is cut at the
 * end of a truncated body.
 */
function utf8(data: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data, { stream: isCut });
  } catch {
    return null;
  }
}

/** Parses JSON; undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const CHUNK = 0x8000;

function base64(data: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += CHUNK)
    parts.push(String.fromCharCode(...data.subarray(at, at + CHUNK)));
  return btoa(parts.join(''));
}

/** Query options of a body, for its tab and for copying the request. */
export const bodyQuery = (log: LogDetail, side: Side) =>
  queryOptions<LoggedBody, Problem>({
    queryKey: [OPERATIONS[side], { path: { logId: log.id } }],
    queryFn: ({ signal }) => readBody(log, side, signal),
    staleTime: Infinity,
    gcTime: KEPT_MS,
  });

/** Reads a body while a tab that shows it is open. */
export const useBody = (log: LogDetail, side: Side): UseQueryResult<LoggedBody, Problem> =>
  useQuery(bodyQuery(log, side));
