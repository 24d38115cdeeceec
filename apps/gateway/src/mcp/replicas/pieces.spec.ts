import { MESSAGE_LENGTH_MAX, PieceAssembly, piecesOf, type Piece } from './pieces';

const cut = (text: string): readonly Piece[] => piecesOf(text) ?? [];
const joined = (assembly: PieceAssembly, pieces: readonly Piece[]): string | null =>
  pieces.map((piece) => assembly.add(piece)).at(-1) ?? null;

describe('pieces of long messages', () => {
  it('join to the same text, also when those of two messages alternate', () => {
    const assembly = new PieceAssembly();
    const [first, second] = [cut(`a${'😀'.repeat(200_000)}`), cut('b'.repeat(300_000))];
    const seen: (string | null)[] = [];
    for (let at = 0; at < Math.max(first.length, second.length); at += 1)
      for (const piece of [first[at], second[at]]) if (piece) seen.push(assembly.add(piece));
    expect(seen.filter((text) => text !== null)).toEqual(['b'.repeat(300_000), `a${'😀'.repeat(200_000)}`]);
    expect(joined(assembly, cut(''))).toBe('');
  });

  it('are dropped when one is lost, and do not reach another message', () => {
    const assembly = new PieceAssembly();
    const pieces = cut('x'.repeat(500_000));
    expect(joined(assembly, [...pieces.slice(0, 1), ...pieces.slice(2)])).toBeNull();
    expect(joined(assembly, pieces.slice(1))).toBeNull();
    expect(joined(assembly, pieces)).toHaveLength(500_000);
  });

  it('do not count twice when they arrive again', () => {
    const assembly = new PieceAssembly();
    const [first, ...more] = cut('x'.repeat(500_000));
    for (let times = 0; times < 1_000; times += 1) assembly.add(first as Piece);
    const other = cut('y'.repeat(500_000));
    joined(assembly, other.slice(0, -1));
    expect(joined(assembly, more)).toHaveLength(500_000);
    expect(joined(assembly, other.slice(-1))).toHaveLength(500_000);
  });

  it('are limited in each message and in total', () => {
    expect(piecesOf('x'.repeat(MESSAGE_LENGTH_MAX + 1))).toBeNull();
    const assembly = new PieceAssembly();
    const messages = Array.from({ length: 6 }, () => cut('x'.repeat(MESSAGE_LENGTH_MAX)));
    for (const pieces of messages) joined(assembly, pieces.slice(0, -1));
    const whole = messages.map((pieces) => joined(assembly, pieces.slice(-1))?.length ?? null);
    expect(whole.slice(0, 1)).toEqual([null]);
    expect(whole.at(-1)).toBe(MESSAGE_LENGTH_MAX);
  });
});
