import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { FirstEvent } from './first-event';
import type { GatewayResponse } from './gateway-response';

/** Returns the number of pieces after which a stream counts as begun; null when it never does. */
function piecesUntilBegun(pieces: readonly string[]): number | null {
  let begun: number | null = null;
  let received = 0;
  const tap = { write: () => undefined, failed: false };
  const response = {
    headers: ['content-type', 'text/event-stream'],
    upstream: { provider: { tap: () => tap } },
    detach: () => undefined,
    onData: () => undefined,
  } as unknown as GatewayResponse;
  const sink = new FirstEvent(response, {
    decidable: () => (begun ??= received),
    failed: () => undefined,
  });
  for (const piece of pieces) {
    received += 1;
    sink.data(Buffer.from(piece));
  }
  return begun;
}

/** The same for the whole text: a blank line after the beginning of a field. */
function expected(pieces: readonly string[]): number | null {
  for (let count = 1; count <= pieces.length; count += 1) {
    const field = /(?:^|[\r\n])[^:\r\n][^]*/.exec(pieces.slice(0, count).join(''));
    if (field !== null && /\n\r?\n|\r\r/.test(field[0].slice(1))) return count;
  }
  return null;
}

describe('FirstEvent', () => {
  it.each([
    ['an event in one piece', ['data: a\n\n'], 1],
    ['an event after a comment', [': wait\n\n', 'data: a\n', '\n'], 3],
    ['comments only', [': wait\n\n', ': wait\n\n'], null],
    ['an end of a line in two pieces', ['data: a\r\n\r', '\n'], 2],
    ['a comment whose line is in two pieces', [': wa', 'it\n\n', 'data: a\n\n'], 3],
  ])('waits for the end of %s', (_, pieces, count) => {
    expect(piecesUntilBegun(pieces)).toBe(count);
  });

  it('finds the same event wherever a stream is cut', () => {
    const piece = fc.string({ unit: fc.constantFrom('\n', '\r', ':', 'a', ' '), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(piecesUntilBegun(pieces)).toBe(expected(pieces));
      }),
      { numRuns: 2_000 },
    );
  });
});
