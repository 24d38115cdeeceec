import { Buffer } from 'node:buffer';
import { CREDENTIAL_MARK, withoutTexts } from './credential-search';

const KEY = 'sk-proj-aB3dE9fGhI2kLmN4oP/qR+sT6uVwXyZ';
const OTHER = 'Basic-0123-abcd';
const hidden = (body: string, texts: readonly string[] = [KEY]): string =>
  withoutTexts(Buffer.from(body), texts).toString();
const escaped = (text: string, before = '\\'): string =>
  [...text].map((one) => `${before}u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('removing a credential from an error body', () => {
  const spellings: readonly (readonly [string, string])[] = [
    ['as it is', KEY],
    ['in upper case', KEY.toUpperCase()],
    ['in JSON escapes', escaped(KEY)],
    ['in JSON escapes inside a JSON string', escaped(KEY, '\\\\\\')],
    ['with escaped slashes', KEY.replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(KEY)],
    ['percent-encoded in every character', escaped(KEY).replaceAll('\\u00', '%')],
    ['without its first letter', KEY.slice(1)],
    ['without its last letter', KEY.slice(0, -1)],
    ['as sixteen characters of it', KEY.slice(11, 27)],
  ];
  it.each(spellings)('removes the credential %s, wherever it begins', (_name, spelled) => {
    for (let before = 0; before < 20; before += 1) {
      const pad = 'é'.repeat(before);
      expect(hidden(`${pad}"${spelled}", again ${spelled}!`)).toBe(
        `${pad}"${CREDENTIAL_MARK}", again ${CREDENTIAL_MARK}!`,
      );
    }
  });

  it.each([0, 1, 2, 3, 4])(
    'removes the base64 form of the credential after %i other characters',
    (before) => {
      for (const coding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(`${'u'.repeat(before)}${KEY}:`).toString(coding);
        const left = hidden(`<${encoded}>`).replace(CREDENTIAL_MARK, '');
        expect(left.length).toBeLessThan(18);
      }
    },
  );

  it('searches in bounded time, whatever the credential', () => {
    const body = Buffer.alloc(1_048_576, `${'a'.repeat(15)}b`);
    const [many, few] = ['a'.repeat(3_000), 'a'.repeat(20)].map((text) => withoutTexts(body, [text]));
    expect([many, few]).toEqual([body, body]);
  });

  it('removes each of several credentials, also short ones', () => {
    expect(hidden(`${OTHER} and ${KEY}${KEY}`, [KEY, OTHER])).toBe(
      `${CREDENTIAL_MARK} and ${CREDENTIAL_MARK}${CREDENTIAL_MARK}`,
    );
    expect(hidden('"sk-12345"', ['sk-12345'])).toBe(`"${CREDENTIAL_MARK}"`);
  });

  it('returns the same bytes when they hold no credential, or only its public beginning', () => {
    const bodies = ['', '{"a":"\\u00e9\\n%41"}', `Incorrect key: ${KEY.slice(0, 10)}****${KEY.slice(-4)}`];
    for (const body of bodies) {
      const bytes = Buffer.concat([Buffer.from(body), Buffer.from([0, 255, 128])]);
      expect(withoutTexts(bytes, [KEY])).toBe(bytes);
    }
  });
});
