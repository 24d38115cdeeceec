import { canonicalBytes } from './canonical-bytes';
import { canonicalJson } from './canonical-json';

const canonical = (json: string): string | null => canonicalBytes(Buffer.from(json))?.toString() ?? null;

describe('canonicalBytes', () => {
  it.each([
    '{}',
    '[]',
    '"a"',
    '0',
    'true',
    'null',
    '{"query":"a b","limit":10}',
    '{ "b" : [ 1 , { "z" : null , "a" : false } , [ ] , { } ] ,\n"a":{"c":-1.5,"b":"{,:[]}"} }',
    '{"B":1,"a":2,"A":3,"aa":4,"10":5,"9":6,"":7}',
    '{"__proto__":{"b":1,"a":2},"constructor":"x"}',
    '[1,-1,0.5,1e+21,123456789012345]',
  ])('returns the same text as canonicalJson for %s', (json) => {
    expect(canonical(json)).toBe(canonicalJson(JSON.parse(json)));
  });

  it.each([
    ['a number in another notation', '[1.0]'],
    ['an exponent', '{"a":1e3}'],
    ['a negative zero', '-0'],
    ['more digits than a double has', '12345678901234567890'],
    ['an escape', '{"a":"\\u0061"}'],
    ['an escape in a name', '{"\\u0061":1}'],
    ['characters beyond ASCII', '{"a":"é"}'],
    ['many levels', `${'['.repeat(9)}${']'.repeat(9)}`],
    ['many bytes', JSON.stringify('a'.repeat(16_384))],
  ])('returns null for %s', (_what, json) => {
    expect(canonical(json)).toBeNull();
  });

  it.each(['{"a":1', '[1', '[1,', '[1 2', '{"a"', '[', '{"a":[1,2}'])(
    'does not throw for %s, which is no JSON',
    (json) => {
      expect(() => canonical(json)).not.toThrow();
    },
  );
});
