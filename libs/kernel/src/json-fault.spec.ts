import { jsonFault } from './json-fault';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonFault', () => {
  it.each([
    ['{"a":1,}', 'line 1, column 8'],
    ['{"a":\n  tru}', 'line 2, column 3'],
    ['{\n  "a": "x"\n  "b": 2\n}', 'line 3, column 3'],
    ['[1, 01]', 'line 1, column 6'],
    ['{"a" 1}', 'line 1, column 6'],
    ['{a: 1}', 'line 1, column 2'],
    ['["a\\x"]', 'line 1, column 4'],
    ['["a\tb"]', 'line 1, column 4'],
    ['{} {}', 'line 1, column 4'],
    ["{'a': 1}", 'line 1, column 2'],
    ['{"a": [1, 2', 'at its end'],
    ['"open', 'at its end'],
    ['', 'at its end'],
  ])('finds the fault of %j: %s', (text, place) => {
    expect(isJson(text)).toBe(false);
    expect(jsonFault(text)).toBe(place);
  });

  it('finds a fault exactly in the texts that JSON.parse refuses', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\n',
      '\u0001',
      'é',
      '\u{1F600}',
      '\\u00e9',
      '/',
    ];
    let state = 7;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const texts = Array.from({ length: 5_000 }, () =>
      Array.from({ length: 1 + next(7) }, () => pieces[next(pieces.length)]).join(''),
    );
    expect(texts.filter((text) => (jsonFault(text) === null) !== isJson(text))).toEqual([]);
    expect(texts.filter(isJson).length).toBeGreaterThan(100);
  });

  it('finds a fault in every incomplete prefix of a document', () => {
    const whole = JSON.stringify(
      { a: [1, -2.5e10, { b: 'x\n"é' }, [], {}], c: null, d: [true, false] },
      null,
      1,
    );
    expect(jsonFault(whole)).toBeNull();
    const prefixes = Array.from(whole, (_, end) => whole.slice(0, end));
    expect(prefixes.filter((text) => jsonFault(text) === null)).toEqual([]);
  });

  it('does not search texts above 1 MiB, and supports any depth below that', () => {
    expect(jsonFault(`${'['.repeat(500_000)}`)).toBe('at its end');
    expect(jsonFault(`"${'x'.repeat(1_000_000)}`)).toBe('at its end');
    expect(jsonFault('['.repeat(1_048_577))).toBeNull();
  });
});
