import fc from 'fast-check';
import { exactNumbers, hasDuplicateMembers, withExactNumbers } from './exact-json';

describe('hasDuplicateMembers', () => {
  it.each([
    ['{"a":1,"a":2}', true],
    ['{"a":{"b":[{"c":1,"\\u0063":2}]}}', true],
    ['[{"a":1},{"a":1}]', false],
    ['{"a":["a","a"],"b":{"a":"a,\\"a"},"":0}', false],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', false],
    ['{"__proto__":1,"__proto__":2}', true],
    ['{"é":1,"\\u00e9":2}', true],
  ])('returns for %s: %s', (text, expected) => {
    expect(hasDuplicateMembers(Buffer.from(text))).toBe(expected);
  });

  it('finds a duplicated member of any document, and none without duplicates', () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(document, (value) => {
        const text = JSON.stringify(value);
        expect(hasDuplicateMembers(Buffer.from(text))).toBe(false);
        const [name] = Object.keys(value);
        const duplicated = `[${text.slice(0, -1)},${JSON.stringify(name)}:1}]`;
        expect(hasDuplicateMembers(Buffer.from(duplicated))).toBe(true);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

describe('withExactNumbers', () => {
  it('writes every number with the value that was read', () => {
    const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(number, (text) => {
        const body = Buffer.from(`{"a":[${text}]}`);
        const written = withExactNumbers(JSON.parse(body.toString()), exactNumbers(body));
        const number = written.slice(6, -2);
        if (number !== text) expect([Number(number), exactNumbers(body)]).toEqual([Number(text) + 0, null]);
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });

  it.each([
    '1e1',
    '1E-9',
    '-0',
    '0e99999999999999999999',
    '0.10',
    '1.50e2',
    '100e-2',
    '5e-324',
    '1.7976931348623157e308',
    '123456789012345',
    '0.30000000000000004',
    `1${'0'.repeat(400)}e-400`,
    '1e0000000000000000000000001',
  ])('needs no exact text for %s', (text) => {
    expect(exactNumbers(Buffer.from(`[${text}]`))).toBeNull();
  });

  it.each([
    '1e400',
    '1e-400',
    '9007199254740993',
    '0.1000000000000000055',
    '1e99999999999999999999',
    '123456789.12345678901',
  ])('writes %s unchanged', (text) => {
    const body = Buffer.from(`[${text}]`);
    expect(withExactNumbers(JSON.parse(body.toString()), exactNumbers(body))).toBe(`[${text}]`);
  });

  it('refuses two different numbers that are equal as doubles', () => {
    for (const text of [
      '[9007199254740993,9007199254740992]',
      '[0.1,0.1000000000000000055]',
      '[1e400,2e400]',
    ])
      expect(() => exactNumbers(Buffer.from(text))).toThrow('are equal in double precision');
    expect(exactNumbers(Buffer.from('[1,2.5,1e5,0.1,100000000000000000000]'))).toBeNull();
  });
});
