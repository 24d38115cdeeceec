import { withoutSecrets } from './without-secrets';

const SECRET = 'ab/cd+ef"gh\\ij==';
const masked = (text: string): string =>
  withoutSecrets(Buffer.from(text), { authorization: `Bearer ${SECRET}` }).toString();

describe('withoutSecrets', () => {
  it.each([
    ['as they are', SECRET],
    ['as JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['as JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(SECRET)],
  ])('masks credentials that a service repeats %s', (_form, text) => {
    expect(masked(`before ${text} after`)).toBe('before ***** after');
    expect(masked(`{"authorization":"Bearer ${text}"}`)).not.toContain(text);
  });

  it('leaves other bodies and short values alone', () => {
    const body = Buffer.from('a token');
    expect(withoutSecrets(body, { authorization: 'Bearer token' })).toBe(body);
  });
});
