import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Body that the protocol engine reads instead of the client's. */
export interface ReplacedBody {
  readonly type: string;
  readonly value: object;
}

/**
 * Replaces the body of a request that has already been read. The protocol engine reads a body by
 * `readable` and `iterator` of the request, which are members of Node's `Readable`.
 */
export function replaceBody(raw: IncomingMessage, { type, value }: ReplacedBody): void {
  const isJson = type === 'application/json';
  const bytes = Buffer.from(
    isJson ? JSON.stringify(value) : new URLSearchParams(value as Record<string, string>).toString(),
  );
  raw.headers['content-type'] = type;
  raw.headers['content-length'] = String(bytes.length);
  delete raw.headers['transfer-encoding'];
  Object.defineProperties(raw, {
    readable: { value: true },
    iterator: { value: () => Readable.from([bytes])[Symbol.asyncIterator]() },
  });
}
