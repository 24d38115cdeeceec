import { ResponseParser } from './response-parser';

interface Result {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: string;
  readonly end: 'done' | 'open' | 'invalid';
  readonly isFit: boolean;
}

interface Options {
  readonly isHead?: boolean;
  /** Whether the provider closes after the last piece. */
  readonly closes?: boolean;
}

/**
 * Parses pieces, each in a buffer that is overwritten after it was read, like the buffer of a
 * socket.
 */
function parse(pieces: readonly string[], { isHead = false, closes = false }: Options = {}): Result {
  const parser = new ResponseParser();
  const shared = Buffer.alloc(80_000);
  parser.begin(isHead);
  const body: Buffer[] = [];
  for (const piece of pieces) {
    shared.write(piece, 'latin1');
    parser.read(shared, piece.length);
    const data = parser.takeBody();
    if (data) body.push(data);
    shared.fill('!', 0, piece.length);
    if (parser.failure !== null) break;
  }
  if (closes) parser.finish();
  const { status, fields } = parser.head;
  return {
    ...(parser.hasHead ? { status, fields } : { status: 0, fields: [] }),
    body: Buffer.concat(body).toString('latin1'),
    end: parser.failure !== null ? 'invalid' : parser.isDone ? 'done' : 'open',
    isFit: parser.leavesConnectionFit,
  };
}

const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const CHUNKED = head('transfer-encoding: chunked');

describe('ResponseParser: valid responses', () => {
  const long = 'x'.repeat(60_000);
  it.each<[string, string, Partial<Result>, Options?]>([
    [
      'a body of known length',
      `${head('Content-Length: 2')}ok`,
      { fields: ['content-length', '2'], body: 'ok', isFit: true },
    ],
    ['a length of zero', head('content-length: 0'), { body: '', isFit: true }],
    [
      'the same length twice, reported once',
      `${head('content-length: 2', 'content-length: 02')}ok`,
      { fields: ['content-length', '2'] },
    ],
    ['chunks', `${CHUNKED}3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n`, { body: 'abc0123456789', isFit: true }],
    [
      'chunks with extensions and trailers',
      `${CHUNKED}2;a=b;c="d e"\r\nok\r\n000;x\r\nEtag: "1"\r\nx:\r\n\r\n`,
      { body: 'ok', isFit: true },
    ],
    ['a coding in capitals', `${head('Transfer-Encoding: CHUNKED')}0\r\n\r\n`, { body: '', isFit: true }],
    ['a body that only the end ends', `${head()}whole`, { body: 'whole', isFit: false }, { closes: true }],
    ['no reason', 'HTTP/1.1 418\r\ncontent-length: 0\r\n\r\n', { status: 418 }],
    ['an empty reason', 'HTTP/1.1 418 \r\ncontent-length: 0\r\n\r\n', { status: 418 }],
    ['a reason in latin1', 'HTTP/1.1 200 \xfc\tb\r\ncontent-length: 0\r\n\r\n', { status: 200 }],
    [
      'blanks around values',
      head('content-length: \t 0 \t ', 'a:', 'b: \t', 'c:d e'),
      { fields: ['content-length', '0', 'a', '', 'b', '', 'c', 'd e'] },
    ],
    [
      'all bytes of a name',
      head("!#$%&'*+-.^_`|~09AZaz: 1", 'content-length: 0'),
      { fields: ["!#$%&'*+-.^_`|~09azaz", '1', 'content-length', '0'] },
    ],
    [
      'interim responses',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nlink: </a>\r\n\r\n${head('content-length: 0')}`,
      { status: 200, fields: ['content-length', '0'] },
    ],
    ['a long head', head(`x: ${long}`, 'content-length: 0'), { fields: ['x', long, 'content-length', '0'] }],
    ['no body to HEAD', head('content-length: 5'), { body: '', isFit: false }, { isHead: true }],
    ['no body of 204', 'HTTP/1.1 204 No\r\n\r\n', { body: '', isFit: true }],
    ['no body of 304', 'HTTP/1.1 304 No\r\netag: "a"\r\n\r\n', { body: '', isFit: true }],
    [
      'no body of a 304 with a length',
      'HTTP/1.1 304 No\r\ncontent-length: 5\r\n\r\n',
      { body: '', isFit: false },
    ],
    ['a connection that closes', head('content-length: 0', 'connection: Foo, Close'), { isFit: false }],
    [
      'a connection that contradicts itself',
      head('content-length: 0', 'connection: close', 'connection: keep-alive'),
      { isFit: false },
    ],
    [
      'a connection that closes within a second',
      head('content-length: 0', 'keep-alive: timeout=1'),
      { isFit: false },
    ],
    [
      'a connection that stays open',
      head('content-length: 0', 'keep-alive: timeout=2, max=9'),
      { isFit: true },
    ],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', { isFit: false }],
    [
      'HTTP/1.0 that stays open',
      'HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive\r\n\r\n',
      { isFit: true },
    ],
    [
      'HTTP/1.0 with chunks',
      'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      { isFit: false },
    ],
    ['bytes after a length', `${head('content-length: 2')}okHTTP/1.1 200 OK`, { body: 'ok', isFit: false }],
    ['bytes after no body', `${head('content-length: 0')}\r\n`, { body: '', isFit: false }],
    ['bytes after chunks', `${CHUNKED}0\r\n\r\nx`, { body: '', isFit: false }],
  ])('%s', (_name, text, expected, options = {}) => {
    expect(parse([text], options)).toMatchObject({ end: 'done', ...expected });
  });

  it('reads body bytes that arrive in a later piece than the end', () => {
    expect(parse([`${head('content-length: 2')}ok`, 'x'])).toMatchObject({
      body: 'ok',
      end: 'done',
      isFit: false,
    });
  });

  it('reads several consecutive responses independently', () => {
    const parser = new ResponseParser();
    const texts = [
      'HTTP/1.1 304 X\r\ncontent-length: 7\r\nconnection: close\r\n\r\n',
      `${CHUNKED}2\r\nok\r\n0\r\n\r\n`,
      `${head('content-length: 3')}abc`,
    ];
    const seen = texts.map((text) => {
      parser.begin(false);
      parser.read(Buffer.from(text, 'latin1'), text.length);
      return [
        parser.head.status,
        parser.takeBody()?.toString() ?? '',
        parser.isDone,
        parser.leavesConnectionFit,
      ];
    });
    expect(seen).toEqual([
      [304, '', true, false],
      [200, 'ok', true, true],
      [200, 'abc', true, true],
    ]);
  });
});

describe('ResponseParser: invalid responses', () => {
  const many = Array.from({ length: 1_001 }, (_, index) => `x-${String(index)}: y`);
  it.each([
    ['other protocols', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a later version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['an earlier version', 'HTTP/0.9 200 OK\r\n\r\n'],
    ['a version of one digit', 'HTTP/1 200 OK\r\n\r\n'],
    ['lower case', 'http/1.1 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['two blanks before the status', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['a control character in the reason', 'HTTP/1.1 200 O\x01K\r\n\r\n'],
    ['an empty line in front', `\r\n${head('content-length: 0')}`],
    ['a lone LF after the status line', 'HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n'],
    ['a lone LF after a field', 'HTTP/1.1 200 OK\r\na: b\ncontent-length: 0\r\n\r\n'],
    ['a lone LF at the end', 'HTTP/1.1 200 OK\r\na: b\r\n\n'],
    ['a lone CR', 'HTTP/1.1 200 OK\r\na: b\rc: d\r\n\r\n'],
    ['a folded value', head('a: b', ' c')],
    ['a folded value after a tab', head('a: b', '\tc')],
    ['a blank before the colon', head('content-length : 0')],
    ['a blank in front of a name', 'HTTP/1.1 200 OK\r\n content-length: 0\r\n\r\n'],
    ['no colon', head('content-length')],
    ['no name', head(': a')],
    ['a name with a bracket', head('a(b: c')],
    ['a name in latin1', head('\xe9: c')],
    ['NUL in a name', head('a\0: b')],
    ['NUL in a value', head('a: b\0c')],
    ['a control character in a value', head('a: b\x7fc')],
    ['two lengths', head('content-length: 1', 'content-length: 2')],
    ['two lengths in one', head('content-length: 1, 1')],
    ['a length with a sign', head('content-length: +1')],
    ['a length below zero', head('content-length: -1')],
    ['a hexadecimal length', head('content-length: 0x1')],
    ['a length with a blank', head('content-length: 1 2')],
    ['an empty length', head('content-length:')],
    ['a length that no number holds', head('content-length: 99999999999999999999')],
    ['length and chunks', head('content-length: 1', 'transfer-encoding: chunked')],
    ['chunks and length', head('transfer-encoding: chunked', 'content-length: 0')],
    ['another coding', head('transfer-encoding: gzip')],
    ['another coding under chunks', head('transfer-encoding: gzip, chunked')],
    ['chunks under another coding', head('transfer-encoding: chunked, gzip')],
    ['chunks twice', head('transfer-encoding: chunked', 'transfer-encoding: chunked')],
    ['a coding that only looks like chunks', head('transfer-encoding: chunked\x0b')],
    ['no coding', head('transfer-encoding: identity')],
    ['an empty coding', head('transfer-encoding:')],
    ['switching protocols', 'HTTP/1.1 101 X\r\nupgrade: x\r\n\r\n'],
    ['interim answers without end', 'HTTP/1.1 100 X\r\n\r\n'.repeat(101)],
    ['too many fields', head(...many)],
    ['no chunk size', `${CHUNKED}\r\nab\r\n`],
    ['a chunk size that is none', `${CHUNKED}zz\r\n`],
    ['a chunk size with a prefix', `${CHUNKED}0x2\r\nok\r\n`],
    ['a chunk size with a sign', `${CHUNKED}+2\r\nok\r\n`],
    ['a chunk size behind a blank', `${CHUNKED} 2\r\nok\r\n`],
    ['a chunk size before a blank', `${CHUNKED}2 \r\nok\r\n`],
    ['a chunk size that no number holds', `${CHUNKED}fffffffffffffff\r\n`],
    ['a chunk size that would wrap to a small one', `${CHUNKED}10000000000000002\r\nok\r\n`],
    ['a chunk size before a lone LF', `${CHUNKED}2\nok\r\n`],
    ['a chunk size before a lone CR', `${CHUNKED}2\rok\r\n`],
    ['an endless chunk size', CHUNKED + '0'.repeat(5_000)],
    ['an endless chunk extension', `${CHUNKED}2;${'a'.repeat(5_000)}`],
    ['a lone LF in a chunk extension', `${CHUNKED}2;a\nok\r\n`],
    ['a chunk longer than its size', `${CHUNKED}2\r\nokay\r\n`],
    ['a chunk before a lone LF', `${CHUNKED}2\r\nok\n0\r\n\r\n`],
    ['a trailer without a name', `${CHUNKED}0\r\n: a\r\n\r\n`],
    ['a trailer with a blank before its colon', `${CHUNKED}0\r\na : b\r\n\r\n`],
    ['a trailer with NUL', `${CHUNKED}0\r\na: \0\r\n\r\n`],
    ['a folded trailer', `${CHUNKED}0\r\na: b\r\n c\r\n\r\n`],
    ['a trailer before a lone LF', `${CHUNKED}0\r\na: b\n\r\n`],
    ['endless trailers', `${CHUNKED}0\r\n${'a: b\r\n'.repeat(12_000)}`],
    ['a lone LF after the last chunk', `${CHUNKED}0\r\n\n`],
  ])('%s', (_name, text) => {
    expect(parse([text])).toMatchObject({ end: 'invalid', isFit: false });
    expect(parse([...text])).toMatchObject({ end: 'invalid', isFit: false });
  });

  it('refuses a head over 64 KiB, in any number of pieces', () => {
    const text = head(`x: ${'a'.repeat(70_000)}`);
    expect(parse([text])).toMatchObject({ end: 'invalid' });
    expect(parse([text.slice(0, 70_000)])).toMatchObject({ end: 'invalid' });
    expect(parse([text.slice(0, 30_000), text.slice(30_000)])).toMatchObject({ end: 'invalid' });
  });

  it('refuses invalid bytes after valid ones, and keeps the valid ones', () => {
    expect(parse([`${CHUNKED}2\r\nok\r\nx`])).toMatchObject({ status: 200, body: 'ok', end: 'invalid' });
  });

  it('does not end a response whose connection ends early', () => {
    for (const text of [
      '',
      'HTTP/1.1 200 OK\r\nx',
      `${head('content-length: 3')}ok`,
      `${CHUNKED}2\r\nok\r\n`,
    ])
      expect(parse([text], { closes: true })).toMatchObject({ end: 'open', isFit: false });
  });
});

describe('ResponseParser: responses in pieces', () => {
  const responses: [string, Options?][] = [
    [`${head('Content-Type: text/plain', 'content-length: 5', 'X: \xe9')}hello`],
    [`${CHUNKED}4\r\nwiki\r\nA;x=y\r\npedia in c\r\n0\r\ntrailer: z\r\n\r\n`],
    [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\na: b\r\n\r\n${head('content-length: 1')}x`],
    [`${head('connection: close')}until the end`, { closes: true }],
    ['HTTP/1.1 204 No Content\r\ndate: x\r\n\r\n'],
    [`${head('content-length: 2')}okHTTP/1.1 200 second\r\n\r\n`],
    [head('content-length: 9'), { isHead: true }],
    [`${CHUNKED}2\r\nok\r\nnot a size`],
    [head('content-length: 1', 'content-length: 2')],
  ];

  it.each(responses)('reads %j in the same way wherever it is split', (text, options = {}) => {
    const whole = parse([text], options);
    expect(parse([...text], options)).toEqual(whole);
    for (let first = 1; first < text.length; first += 1) {
      expect(parse([text.slice(0, first), text.slice(first)], options)).toEqual(whole);
      const second = Math.min(text.length, first + 3);
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      expect(parse(pieces, options)).toEqual(whole);
    }
  });

  it('returns all body bytes of one piece at once', () => {
    const parser = new ResponseParser();
    parser.begin(false);
    const text = `${CHUNKED}1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n4\r\ngh`;
    parser.read(Buffer.from(text), text.length);
    expect(parser.takeBody()?.toString()).toBe('abcdefgh');
    expect(parser.takeBody()).toBeNull();
  });
});
