import { csvText } from './csv';

describe('CSV', () => {
  it('quotes separators, quotes and ends of lines', () => {
    expect(csvText([['a', 'b,c', 'd"e', 'f\ng', null, 1, { h: 2 }]])).toBe(
      'a,"b,c","d""e","f\ng",,1,"{""h"":2}"\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1'])('makes no formula of %j', (text) => {
    const [line = ''] = [csvText([[text]])];
    expect(line.replace(/^"/, '').startsWith("'")).toBe(true);
  });

  it('leaves numbers as they are', () => {
    expect(csvText([[-1.5]])).toBe('-1.5\r\n');
  });
});
