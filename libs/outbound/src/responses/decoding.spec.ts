import { deflateSync, zstdCompressSync } from 'node:zlib';
import { decode, decodeNow, type Coding, type Decoded } from './decoding';

async function decoded(pieces: readonly Buffer[], coding: Coding): Promise<readonly [Decoded, string]> {
  const chunks: Buffer[] = [];
  const end = await decode(pieces, coding, 100_000, (chunk) => chunks.push(chunk));
  return [end, Buffer.concat(chunks).toString()];
}

describe('decode', () => {
  it('finds the zlib header of a body whose first pieces are shorter than the header', async () => {
    const body = deflateSync('text');
    for (const sizes of [[1], [0, 1], [0, 0, 2], [1, 1]]) {
      let start = 0;
      const pieces = [...sizes, body.length].map((size) => body.subarray(start, (start += size)));
      expect([sizes, await decoded(pieces, 'deflate')]).toEqual([sizes, ['whole', 'text']]);
    }
  });
});

describe('decodeNow', () => {
  const frames = (...texts: string[]): Buffer => Buffer.concat(texts.map((text) => zstdCompressSync(text)));

  it('reads every zstd frame of a body', () => {
    expect(decodeNow(frames('{"usage":', '', '{"x":1}}'), 'zstd', 100)?.toString()).toBe('{"usage":{"x":1}}');
  });

  it('bounds the total bytes and the number of zstd frames', () => {
    expect(decodeNow(frames('aaaa', 'bbbb'), 'zstd', 8)?.toString()).toBe('aaaabbbb');
    expect(decodeNow(frames('aaaa', 'bbbb', 'c'), 'zstd', 8)).toBeNull();
    expect(decodeNow(frames('aaaa', 'bbbbb'), 'zstd', 8)).toBeNull();
    expect(decodeNow(frames(...Array<string>(64).fill('a')), 'zstd', 100)).toHaveLength(64);
    expect(decodeNow(frames(...Array<string>(65).fill('a')), 'zstd', 100)).toBeNull();
  });

  it('returns null for a zstd body with other bytes after a frame, and for a broken one', () => {
    expect(decodeNow(Buffer.concat([frames('a'), Buffer.from('tail')]), 'zstd', 100)).toBeNull();
    expect(decodeNow(frames('a').subarray(0, -1), 'zstd', 100)).toBeNull();
    expect(decodeNow(Buffer.alloc(0), 'zstd', 100)).toBeNull();
  });
});
