import type { Buffer } from 'node:buffer';
import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { HeaderList } from '@gw/providers';

/** What Node sends as the head of an answer, without the reasons to look at each header again. */
interface OwnHead {
  _header: string | null;
}

/** With head, what Node's stream has room for on its stack. */
const ONE_WRITE_BYTES = 8_192;

/** How long a date is used, milliseconds: what Node does. */
const DATE_MS = 1_000;
let dateLine = '';
let dateUntil = 0;

/**
 * An answer that can be sent in one piece, head and all. Node holds each name and each value of a head against an expression,
 * which costs more than routing; those given here have been held against the same rules where they came in.
 */
export class WholeResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /**
   * Ends the answer with a head that Node would have written byte for byte, or does nothing and returns false where more would be
   * needed than that: without keep-alive, after `setHeader`, for answers that have no body. `headers` hold lower-case tokens
   * and values without control characters, none of this hop but `content-length`, and that one is there.
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
    (this as unknown as OwnHead)._header = `${head}${this.connectionLines()}\r\n`;
    // One string leaves in one write, which is dearer only for large ones; latin1 keeps every byte.
    if (body.length <= ONE_WRITE_BYTES) this.end(body.toString('latin1'), 'latin1');
    else this.end(body);
    return true;
  }

  protected connectionLines(): string {
    return 'Connection: keep-alive\r\n';
  }
}

/** The answers of a server that keeps idle connections for so long. */
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
