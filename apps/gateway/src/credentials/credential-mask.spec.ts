import { Buffer } from 'node:buffer';
import { CredentialMask, probeOf } from './credential-mask';

const KEY = 'sk-proj-aB3dE9fGhI2kLmN4oP';
const starsFor = (text: string): string => '*'.repeat(text.length);

function passed(pieces: readonly string[], texts: readonly string[] = [KEY]): string[] {
  const mask = new CredentialMask(texts.map(probeOf));
  const seen = pieces.map((piece) => mask.pass(Buffer.from(piece)).toString());
  return [...seen, mask.rest()?.toString() ?? ''];
}

describe('CredentialMask', () => {
  const BODY = `{"headers":{"authorization":"Bearer ${KEY}"},"again":"${KEY}${KEY}","part":"${KEY.slice(0, 22)}"}`;

  it('replaces a credential with as many stars', () => {
    const part = `"part":"${starsFor(KEY.slice(0, 22))}"`;
    const cut = BODY.indexOf('"part"');
    expect(passed([BODY]).join('')).toBe(`${BODY.slice(0, cut).replaceAll(KEY, starsFor(KEY))}${part}}`);
  });

  it('shows only the first characters of a credential, wherever the response is split, and keeps the length', () => {
    const secret = KEY.slice(9);
    for (let cut = 0; cut <= BODY.length; cut += 1) {
      const seen = passed([BODY.slice(0, cut), BODY.slice(cut)]).join('');
      expect(seen).toHaveLength(BODY.length);
      expect(seen).not.toContain(secret.slice(0, 4));
      expect(seen).not.toContain(secret.slice(-4));
    }
    const letters = passed([...BODY]).join('');
    expect(letters).toHaveLength(BODY.length);
    expect(letters).not.toContain(secret.slice(0, 4));
  });

  it('masks each of several credentials', () => {
    const other = 'other-0123456789';
    const seen = passed(
      [`${other.slice(0, 5)}`, `${other.slice(5)} ${KEY.slice(0, 12)}`, KEY.slice(12)],
      [KEY, other],
    );
    expect(seen.join('')).not.toMatch(/0123|E9fG|4oP/);
  });

  it('holds back only the beginning of a probe, so that events are forwarded at once', () => {
    const event = 'data: {"a":"sk-proj-"}\n\n';
    expect(passed([event, event])).toEqual([event, event, '']);
    expect(passed(['aB3', 'dx'])).toEqual(['a', 'B3dx', '']);
    expect(passed(['x', 'aB'])).toEqual(['x', 'a', 'B']);
  });
});
