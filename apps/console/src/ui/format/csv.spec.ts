import { csvText } from './csv';

describe('csvText', () => {
  it('quotes separators, quotes and line breaks', () => {
    expect(csvText([['a', 'b,c', 'd"e', 'f\ng', null, 1, { h: 2 }]])).toBe(
      'a,"b,c","d""e","f\ng",,1,"{""h"":2}"\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1'])(
    'prefixes %j so that it is not a formula',
    (text) => {
      const [line = ''] = [csvText([[text]])];
      expect(line.replace(/^"/, '').startsWith("'")).toBe(true);
    },
  );

  it('leaves numbers unchanged', () => {
    expect(csvText([[-1.5]])).toBe('-1.5\r\n');
  });
});
