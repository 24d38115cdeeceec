import { EventParser } from './event-parser';

const parserOf = (bytesMax = 1_000_000): EventParser =>
  new EventParser(bytesMax, (what, max) => new Error(`${what} is larger than ${String(max)} bytes.`));

const all = (chunks: readonly (string | Buffer)[], parser = parserOf()) =>
  chunks
    .flatMap((chunk) => [...parser.push(Buffer.from(chunk))])
    .map(({ type, data }) => [type, data.toString()]);

describe('EventParser', () => {
  it('reads events whose lines end in LF, CRLF or CR', () => {
    expect(all(['data: a\n\ndata: b\r\n\r\ndata: c\r\revent: x\ndata: d\n\n'])).toEqual([
      ['message', 'a'],
      ['message', 'b'],
      ['message', 'c'],
      ['x', 'd'],
    ]);
  });

  it('reads the same events wherever the chunks end', () => {
    const text = '\ufeffid: 7\r\ndata: {"a":\r\ndata: "é"}\r\n\r\n: comment\r\n\r\nevent: e\rdata:x\r\r';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const parser = parserOf();
      expect(all(chunks, parser)).toEqual([
        ['message', '{"a":\n"é"}'],
        ['e', 'x'],
      ]);
      expect(parser.lastEventId).toBe('7');
    }
  });

  it('keeps the id of an event without data, for resuming a stream that closes early', () => {
    const parser = parserOf();
    expect(all(['id: first\nretry: 250\ndata:\n\n'], parser)).toEqual([]);
    expect(parser).toMatchObject({ lastEventId: 'first', retryMs: 250 });
  });

  it('ignores ids that are not valid in a header, and bounds the retry time that a stream sets', () => {
    const parser = parserOf();
    all(['id: a\u0000b\nretry: 99999999\ndata: 1\n\nretry: -1\n\n'], parser);
    expect(parser).toMatchObject({ lastEventId: null, retryMs: 30_000 });
  });

  it('refuses an event above the size limit, even if it consists of comments or many lines', () => {
    expect(() => all(['data: 0123456789\n'], parserOf(12))).toThrow('larger than 12 bytes');
    expect(() => all([': 01234567\n: 0123456\n'], parserOf(12))).toThrow('larger than 12 bytes');
    expect(() => all(['0123456', '789012'], parserOf(12))).toThrow('larger than 12 bytes');
    expect(all(['data: 1\n\ndata: 2\n\n'], parserOf(12))).toHaveLength(2);
  });
});
