import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { ResponseParser } from './response-parser';
import { clientWith, rawServer, requestTo, run } from './spec-support/loopback';

/** Returns a seeded pseudo-random number generator (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const NAMES = [
  'Content-Type',
  'x-request-id',
  'X-RateLimit-Remaining',
  'date',
  'Set-Cookie',
  'etag',
  'x_y~z',
];
const CHARACTERS = 'abcXYZ019 ;=",/\t\xe9\xff';

interface Made {
  readonly text: string;
  readonly closes: boolean;
}

function makeResponse(next: (below: number) => number): Made {
  const text = (length: number): string =>
    Array.from({ length }, () => CHARACTERS[next(CHARACTERS.length)]).join('');
  const lines = Array.from(
    { length: next(12) },
    () =>
      `${String(NAMES[next(NAMES.length)])}:${' '.repeat(next(3))}${text(next(40)).trim()}${' '.repeat(next(2))}`,
  );
  const body = Array.from({ length: next(6) }, () => text(next(40)).repeat(next(4) === 0 ? next(300) : 1));
  const status = [200, 201, 204, 304, 400, 429, 500, 599][next(8)];
  const interim = 'HTTP/1.1 102 Processing\r\nx: y\r\n\r\n'.repeat(next(3));
  const start = (...framing: string[]): string =>
    `${interim}${[`HTTP/1.1 ${String(status)} ${text(next(10)).trim()}`, ...lines, ...framing].join('\r\n')}\r\n\r\n`;
  if (status === 204 || status === 304) return { text: start(), closes: false };
  const whole = body.join('');
  switch (next(3)) {
    case 0:
      return { text: start(`Content-Length: ${String(whole.length)}`) + whole, closes: false };
    case 1: {
      const chunks = body
        .filter((piece) => piece !== '')
        .map((piece) => {
          const size = piece.length.toString(16);
          const extension = next(4) === 0 ? ';name=value' : '';
          return `${next(2) === 0 ? size : `00${size.toUpperCase()}`}${extension}\r\n${piece}\r\n`;
        });
      const trailer = next(3) === 0 ? 'x-trailer: 1\r\n' : '';
      return {
        text: `${start('Transfer-Encoding: chunked')}${chunks.join('')}0\r\n${trailer}\r\n`,
        closes: false,
      };
    }
    default:
      return { text: start('connection: close') + whole, closes: true };
  }
}

/** Splits a text into pieces of up to a few thousand bytes, often only a few. */
function split(text: string, next: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + next([4, 60, 5_000][next(3)] ?? 1);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

interface Read {
  readonly status: number | undefined;
  readonly headers: readonly string[];
  readonly body: string;
}

async function asNodeReads(origin: string): Promise<Read> {
  const sent = httpRequest(origin, { agent: false, insecureHTTPParser: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body: Buffer[] = [];
  for await (const piece of response) body.push(piece as Buffer);
  const headers = response.rawHeaders.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
  return { status: response.statusCode, headers, body: Buffer.concat(body).toString('latin1') };
}

function asParserReads(pieces: readonly string[], closes: boolean): Read & { isDone: boolean } {
  const parser = new ResponseParser();
  parser.begin(false);
  const body: Buffer[] = [];
  for (const piece of pieces) {
    parser.read(Buffer.from(piece, 'latin1'), piece.length);
    body.push(parser.takeBody() ?? Buffer.alloc(0));
  }
  if (closes) parser.finish();
  const { status, fields } = parser.head;
  return { status, headers: fields, body: Buffer.concat(body).toString('latin1'), isDone: parser.isDone };
}

describe('ResponseParser compared with the HTTP client of Node.js', () => {
  it('reads 150 generated responses like Node.js, in one piece or many, alone or over a connection', async () => {
    const next = numbers(20_261_120);
    let made: Made = { text: '', closes: false };
    const server = await rawServer((socket) => {
      if (made.closes) socket.end(made.text, 'latin1');
      else socket.write(made.text, 'latin1');
    });
    const outbound = clientWith();
    for (let round = 0; round < 150; round += 1) {
      made = makeResponse(next);
      const expected = await asNodeReads(server.origin);
      expect(asParserReads([made.text], made.closes)).toEqual({ ...expected, isDone: true });
      expect(asParserReads(split(made.text, next), made.closes)).toEqual({ ...expected, isDone: true });
      const got = await run(outbound, requestTo(server.origin));
      expect(got).toMatchObject({ ...expected, error: null });
    }
    outbound.close();
    await server.close();
  });

  it('never reads a damaged response as a longer or another one', () => {
    const next = numbers(7);
    for (let round = 0; round < 3_000; round += 1) {
      const { text, closes } = makeResponse(next);
      const at = next(text.length);
      const damaged = text.slice(0, at) + String.fromCharCode(next(256)) + text.slice(at + 1);
      const whole = asParserReads([damaged], closes);
      expect(asParserReads(split(damaged, next), closes)).toEqual(whole);
      expect(whole.body.length).toBeLessThanOrEqual(text.length);
    }
  });
});
