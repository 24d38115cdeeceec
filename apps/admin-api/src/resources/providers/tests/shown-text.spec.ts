import { shownText } from './shown-text';

const NONE = { apiKey: null, configurations: {} };

describe('shownText', () => {
  it('returns one line without control characters', () => {
    expect(shownText(' a\n\u0000b\u200bc ', NONE)).toBe('a b c');
  });

  it('masks the credential, also in nested configurations, but no short texts', () => {
    const credential = { apiKey: 'the-key', configurations: { inner: ['the-secret'], region: 'eu' } };
    expect(shownText('eu: the-key, the-secret', credential)).toBe('eu: *****, *****');
  });

  it('truncates a long text, but not within a character', () => {
    expect(shownText('x'.repeat(201), NONE)).toBe(`${'x'.repeat(199)}…`);
    expect(shownText(`${'x'.repeat(198)}👩xx`, NONE)).toBe(`${'x'.repeat(198)}…`);
  });
});
