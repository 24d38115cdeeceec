import { isHeaderName, isHeaderValue, isToken } from './header-names';

describe('names and values of headers', () => {
  it.each(['GET', 'x-api-key', "!#$%&'*+-.^_`|~09azAZ"])('accept the token %j', (text) => {
    expect([isToken(text), isHeaderName(text), isHeaderValue(text)]).toEqual([true, true, true]);
  });

  it.each(['', 'a b', 'a:', 'a\r', 'a\n', 'a\u0000', 'é', 'a/b', '(a)', 'a"', '{a}'])(
    'refuse the name %j',
    (text) => {
      expect([isToken(text), isHeaderName(text)]).toEqual([false, false]);
    },
  );

  it('refuse a name of more than 128 characters', () => {
    expect([isHeaderName('a'.repeat(128)), isHeaderName('a'.repeat(129))]).toEqual([true, false]);
  });

  it.each(['a\r', 'a\nb', 'a\u0000', '\u0100', '\u007f'])('refuse the value %j', (text) => {
    expect(isHeaderValue(text)).toBe(false);
  });
});
