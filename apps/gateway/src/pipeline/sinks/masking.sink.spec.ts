import { CREDENTIAL_MARK } from '../credential-echo';
import { MaskingSink } from './masking.sink';

function masked(pieces: readonly string[], texts: readonly string[]): string {
  const seen: string[] = [];
  const ignore = (): void => undefined;
  const sink = new MaskingSink(
    { data: (chunk) => seen.push(chunk.toString('latin1')), end: () => seen.push('|'), fail: ignore },
    texts,
  );
  for (const piece of pieces) sink.data(Buffer.from(piece, 'latin1'));
  sink.end();
  return seen.join('');
}

describe('a body that repeats a credential', () => {
  const SECRET = 'sk-secret-0123';
  const BODY = `{"error":"wrong key ${SECRET}","again":"${SECRET}${SECRET}","part":"sk-secret-"}`;
  const EXPECTED = `${BODY.replaceAll(SECRET, CREDENTIAL_MARK)}|`;

  it('is handed on without it, wherever it is cut into pieces', () => {
    for (let cut = 0; cut <= BODY.length; cut += 1)
      expect(masked([BODY.slice(0, cut), BODY.slice(cut)], [SECRET])).toBe(EXPECTED);
    expect(masked([...BODY], [SECRET, 'never-there-at-all'])).toBe(EXPECTED);
  });

  it('is handed on as it came where it repeats none', () => {
    expect(masked(['ab', '', 'sk-secr', 'et'], [SECRET])).toBe('absk-secret|');
  });
});
