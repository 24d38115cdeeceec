import { randomBytes } from 'node:crypto';
import { addPiece } from './pieces';

const piecesOf = (bytes: Buffer, size: number): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) addPiece(pieces, bytes.subarray(at, at + size));
  return pieces;
};

describe('pieces of a body', () => {
  const bytes = randomBytes(200_000);

  it.each([1, 2, 3, 1_000, 16_383, 16_384, 65_536])('of %i bytes are joined in order', (size) => {
    expect(Buffer.concat(piecesOf(bytes, size)).equals(bytes)).toBe(true);
  });

  it('are few, however small they arrive', () => {
    expect(piecesOf(bytes, 1).length).toBeLessThan(30);
    expect(piecesOf(bytes, 7).length).toBeLessThan(30);
  });

  it('are not copied when they are large', () => {
    const large = [randomBytes(65_536), randomBytes(65_536), randomBytes(65_536)];
    const pieces: Buffer[] = [];
    for (const piece of large) addPiece(pieces, piece);
    expect(pieces.map((piece, index) => piece === large[index])).toEqual([true, true, true]);
  });
});
