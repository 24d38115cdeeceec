import type { Buffer } from 'node:buffer';
import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { HeaderList } from '@gw/providers';

/** Internal fields of Node.js. */
interface OwnState {
  /** The head of a response; setting it skips the checks of each header. */
  _header: string | null;
  /** The value of `closed`. */
  _closed: boolean;
}

/** Maximum bytes, head included, for which Node.js converts the string on its stack. */
const ONE_WRITE_BYTES = 8_192;

/** Milliseconds for which a Date header is reused, as in Node.js. */
const DATE_MS = 1_000;
let dateLine = '';
let dateUntil = 0;

/**
 * A response that can be sent in one piece, head included. Node.js tests every header name and
 * value with a regular expression, which costs more than routing; the headers given here were
 * checked by the same rules when they were received.
 */
export class WholeResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /**
   * Ends the response with the head that Node.js would write, byte for byte. Does nothing and
   * returns false if Node.js would do more: without keep-alive, after `setHeader`, or for responses
   * that have no body. `headers` has lower-case names and values without control characters, and no
   * hop-by-hop header except the required `content-length`.
   */
  endWhole(status: number, headers: HeaderList, body: Buffer): boolean {
    if (!this.shouldKeepAlive || !mayHaveBody(status, this.req.method) || this.getHeaderNames().length > 0)
      return false;
    let head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    let isDated = false;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] as string;
      if (name === 'date') isDated = true;
      head += `${name}: ${headers[i + 1] as string}\r\n`;
    }
    if (!isDated) head += currentDate();
    this.statusCode = status;
    (this as unknown as OwnState)._header = `${head}${this.connectionLines()}\r\n`;
    // A string is sent in one write, which costs more only for large ones; latin1 keeps every byte.
    if (body.length <= ONE_WRITE_BYTES) this.end(body.toString('latin1'), 'latin1');
    else this.end(body);
    return true;
  }

  /** Closes a response that was never sent, because its connection has closed. */
  closeUnsent(): void {
    if (this.closed || this.socket !== null) return;
    this.destroyed = true;
    (this as unknown as OwnState)._closed = true;
    this.emit('close');
  }

  protected connectionLines(): string {
    return 'Connection: keep-alive\r\n';
  }
}

/**
 * Returns the response class of a server that keeps idle connections open for `keepAliveTimeoutMs`.
 */
export function wholeResponses(keepAliveTimeoutMs: number): typeof WholeResponse {
  const seconds = Math.floor(keepAliveTimeoutMs / 1_000);
  const lines = `Connection: keep-alive\r\nKeep-Alive: timeout=${String(seconds)}\r\n`;
  return class<Request extends IncomingMessage> extends WholeResponse<Request> {
    protected override connectionLines(): string {
      return lines;
    }
  };
}

const mayHaveBody = (status: number, method: string | undefined): boolean =>
  status >= 200 && status !== 204 && status !== 304 && method !== 'HEAD';

function currentDate(): string {
  const now = Date.now();
  if (now >= dateUntil || now < dateUntil - DATE_MS) {
    dateLine = `Date: ${new Date(now).toUTCString()}\r\n`;
    dateUntil = now - (now % DATE_MS) + DATE_MS;
  }
  return dateLine;
}
