import { afterSpace, walkMembers, type Span } from '@gw/kernel';
import { isUtf8 } from 'node:buffer';
import { META, type JsonObject, type RequestId } from '../protocol';
import { isWithinBounds } from './decode';
import { isId } from './message';

/** Members of a message, and of a result, that decide how it is forwarded. */
const OF_MESSAGE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'result', 'error']);
const OF_RESULT: ReadonlySet<string> = new Set([
  ...['resultType', 'isError', '_meta', 'structuredContent', 'ttlMs', 'cacheScope'],
]);
const OF_META: ReadonlySet<string> = new Set([META.server]);

type Members = ReadonlyMap<string, Span>;

/** A success response whose result is not parsed, with the positions of its parts. */
export interface ScannedResponse {
  readonly body: Buffer;
  readonly id: RequestId;
  /** Position of the result, including its braces. */
  readonly result: Span;
  /** Members of the result that decide how it is forwarded. */
  readonly members: Members;
}

/**
 * Finds the parts of a success response without parsing it, so that a result that no rule reads is
 * forwarded unchanged. Returns null for every other message, and for a message that must be decoded
 * to be sure: names with escapes, repeated members, unbalanced brackets, invalid UTF-8, and more
 * levels or members than `decodeUpstream` allows. The span of the result holds one object with
 * balanced brackets, whatever its strings contain, so that a client that cannot parse it fails
 * alone. Takes linear time.
 */
export function scanResponse(body: Buffer): ScannedResponse | null {
  if (!isWithinBounds(body) || !isUtf8(body)) return null;
  const message = new Map<string, Span>();
  const end = walkMembers(body, afterSpace(body, 0), collect(message, OF_MESSAGE));
  if (end < 0 || afterSpace(body, end) !== body.length) return null;
  const result = message.get('result');
  if (result === undefined || message.has('method') || message.has('error')) return null;
  const id = idAt(body, message.get('id'));
  const members = new Map<string, Span>();
  if (id === null || textAt(body, message.get('jsonrpc')) !== '"2.0"') return null;
  return walkMembers(body, result.start, collect(members, OF_RESULT)) === result.end
    ? { body, id, result, members }
    : null;
}

const collect =
  (found: Map<string, Span>, wanted: ReadonlySet<string>) =>
  (name: string, start: number, end: number): boolean => {
    if (!wanted.has(name)) return true;
    if (found.has(name)) return false;
    found.set(name, { start, end });
    return true;
  };

const textAt = (body: Buffer, span: Span | undefined): string | null =>
  span === undefined ? null : body.toString('latin1', span.start, span.end);

const ID_BYTES_MAX = 64;

/**
 * Returns the id of the message; null, which means that the message must be decoded, for a long id
 * and for one that is neither a string nor an integer.
 */
function idAt(body: Buffer, span: Span | undefined): RequestId | null {
  if (span === undefined || span.end - span.start > ID_BYTES_MAX) return null;
  const id = parsed(body.toString('utf8', span.start, span.end));
  return isId(id) ? id : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns `resultType` of the result: `complete` when it is absent; null when it is not a string
 * without escapes.
 */
export function scannedType({ body, members }: ScannedResponse): string | null {
  const text = textAt(body, members.get('resultType'));
  if (text === null) return 'complete';
  return /^"[^"\\]{0,64}"$/.test(text) ? text.slice(1, -1) : null;
}

/** Returns whether the result reports that the tool failed. */
export const scannedIsError = ({ body, members }: ScannedResponse): boolean =>
  textAt(body, members.get('isError')) === 'true';

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Returns whether clients of legacy revisions since 2025-06-18 get the result unchanged. Otherwise
 * `toLegacyResult` converts it.
 */
export function isLegacyResult({ body, members }: ScannedResponse): boolean {
  const structured = members.get('structuredContent');
  return (
    !['resultType', 'ttlMs', 'cacheScope'].some((name) => members.has(name)) &&
    (structured === undefined || body[structured.start] === OPEN_OBJECT)
  );
}

/**
 * Returns the response to a client's request with the original bytes of the result. With
 * `serverInfo`, the result gets `serverInfo` in `_meta` and a missing `resultType`, like
 * `toModernResult`; with null it stays unchanged. Returns null when the position for `_meta` is
 * uncertain; the caller then serialises the parsed result.
 */
export function splicedResponse(
  scanned: ScannedResponse,
  id: RequestId,
  serverInfo: JsonObject | null,
): Buffer | null {
  const { body, result } = scanned;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (serverInfo === null) return framed(head, body, result.start, result.end);
  const info = writtenInfo(serverInfo);
  if (!scanned.members.has('_meta')) {
    const added = `{${typeOf(scanned)}"_meta":{"${META.server}":${info}}${isEmpty(body, result.start) ? '' : ','}`;
    return framed(head + added, body, result.start + 1, result.end);
  }
  const pieces = withMeta(scanned, info);
  return pieces && Buffer.concat([Buffer.from(head), ...pieces, END]);
}

const END = Buffer.from('}');

/**
 * Returns the concatenation of a text, the bytes from `start` to `end`, and the brace that closes
 * the response.
 */
function framed(text: string, bytes: Buffer, start: number, end: number): Buffer {
  const textBytes = Buffer.byteLength(text);
  const all = Buffer.allocUnsafe(textBytes + end - start + 1);
  all.write(text);
  bytes.copy(all, textBytes, start, end);
  all[all.length - 1] = CLOSE_OBJECT;
  return all;
}

/** Cache of serialised `serverInfo` objects, each of which serves many responses. */
const infos = new WeakMap<JsonObject, string>();

function writtenInfo(serverInfo: JsonObject): string {
  let written = infos.get(serverInfo);
  if (written === undefined) infos.set(serverInfo, (written = JSON.stringify(serverInfo)));
  return written;
}

const typeOf = ({ members }: ScannedResponse): string =>
  members.has('resultType') ? '' : '"resultType":"complete",';

/**
 * Returns the pieces of a result with `_meta` for a modern client. `info` is the JSON of the
 * server's `serverInfo`.
 */
function withMeta(scanned: ScannedResponse, info: string): readonly Buffer[] | null {
  const {
    body,
    result: { start, end },
    members,
  } = scanned;
  const type = typeOf(scanned);
  const meta = members.get('_meta') as Span;
  if (body[meta.start] !== OPEN_OBJECT) return null;
  const head = [Buffer.from(`{${type}`), body.subarray(start + 1, meta.start)];
  const known = new Map<string, Span>();
  if (walkMembers(body, meta.start, collect(known, OF_META)) < 0) return null;
  const own = known.get(META.server);
  if (own !== undefined)
    return [...head, body.subarray(meta.start, own.start), Buffer.from(info), body.subarray(own.end, end)];
  const added = `{"${META.server}":${info}${isEmpty(body, meta.start) ? '' : ','}`;
  return [...head, Buffer.from(added), body.subarray(meta.start + 1, end)];
}

const isEmpty = (body: Buffer, open: number): boolean => body[afterSpace(body, open + 1)] === CLOSE_OBJECT;
