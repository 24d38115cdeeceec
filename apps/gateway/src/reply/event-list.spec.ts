import { EventList } from './event-list';

const event = (text: string): Buffer => Buffer.from(`data: {"text":"${text}"}\r\n\r\n`);
const LONG = 'x'.repeat(4 * 1_048_576);
const TOO_LONG = 'y'.repeat(17 * 1_048_576);

describe('EventList', () => {
  /** Writes in chunks of this many bytes, and returns the list. */
  const listOf = (bytes: Buffer, chunkBytes: number): unknown => {
    const list = new EventList();
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += chunkBytes)
      pieces.push(list.write(bytes.subarray(at, at + chunkBytes)));
    return JSON.parse(Buffer.concat([...pieces, list.end()]).toString());
  };

  it('returns each event as one item, however the bytes are split', () => {
    const bytes = Buffer.concat([event('a'), Buffer.from(': comment\n\n'), event('ü'), event('c')]);
    for (const chunkBytes of [1, 2, 3, 7, 1_000])
      expect(listOf(bytes, chunkBytes)).toEqual([{ text: 'a' }, { text: 'ü' }, { text: 'c' }]);
    expect(listOf(Buffer.alloc(0), 1)).toEqual([]);
  });

  it('holds events as long as those with images, and drops a longer one alone', () => {
    const bytes = Buffer.concat([event('a'), event(LONG), event(TOO_LONG), event('c')]);
    expect(listOf(bytes, 65_536)).toEqual([{ text: 'a' }, { text: LONG }, { text: 'c' }]);
  });
});
