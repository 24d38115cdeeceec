import { parseExact } from './exact-json';
import { jsonStrings, jsonTexts, withEditedStrings, withEditedTexts } from './json-texts';

const CARD = 4_111_111_111_111_111;

describe('texts of a JSON value with free members', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['strings and names of members, in order', { a: 'x', b: [{ c: 'y' }] }, ['a', 'x', 'b', 'c', 'y']],
    [
      'whole numbers of four digits or more',
      { a: CARD, b: -1_000, c: 999, d: 1_000.5, e: 1e21 },
      [...['a', '4111111111111111', 'b', '-1000', 'c', 'd', 'e', '1e+21']],
    ],
    [
      'numbers that a double cannot hold',
      parseExact('{"a":12345678901234567890}'),
      ['a', '12345678901234567890'],
    ],
    [
      'a list of numbers as one',
      [
        [0.5, 1_234, 7, 5_678],
        [0.25, 1],
      ],
      ['1234, 5678'],
    ],
    ['numbers next to other values', [1_234, 'x', true, null], ['1234', 'x']],
    [
      'members with names of Object.prototype',
      JSON.parse('{"__proto__":"x","constructor":"y"}'),
      [...['__proto__', 'x', 'constructor', 'y']],
    ],
    ['nothing else', [true, null, 1, [], {}], []],
  ])('include %s', (_, value, texts) => {
    expect(jsonTexts(value)).toEqual(texts);
  });

  it('are each replaced by their edit', () => {
    const value = parseExact(
      '{"card 4111":[4111111111111111,"x"],"big":12345678901234567890,"v":[0.5,1234]}',
    );
    const edit = (text: string): string => text.replace(/\d{4,}/, '#');
    expect(withEditedTexts(value, edit)).toEqual({ 'card #': ['#', 'x'], big: '#', v: '#' });
  });

  it('share what no edit changes', () => {
    const value = { a: { b: [1_234, 'x'] }, c: 'secret' };
    const edited = withEditedTexts(value, (text) => text.replace('secret', '-')) as typeof value;
    expect(edited).toEqual({ a: value.a, c: '-' });
    expect(edited.a).toBe(value.a);
    expect(withEditedTexts(value, (text) => text)).toBe(value);
  });

  it('never change Object.prototype', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":"x"}}');
    const edited = withEditedTexts(hostile, (text) => `${text}!`);
    expect(JSON.stringify(edited)).toBe('{"__proto__!":{"polluted!":"x!"}}');
    const strings = withEditedStrings(hostile, (text) => `${text}!`);
    expect(JSON.stringify(strings)).toBe('{"__proto__":{"polluted":"x!"}}');
    withEditedTexts({ a: hostile }, (text) => (text === 'a' ? '__proto__' : text));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('strings of a JSON value', () => {
  it('are in order, without names of members, numbers and empty strings', () => {
    expect(jsonStrings({ a: 'x', b: [{ c: 'y' }, CARD, ''], d: [CARD], e: null })).toEqual(['x', 'y']);
  });

  it('are each replaced by their edit, and the rest is shared', () => {
    const value = { secret: { b: [CARD, 'x'] }, c: 'secret' };
    const edited = withEditedStrings(value, (text) => text.replace('secret', '-')) as typeof value;
    expect(edited).toEqual({ secret: value.secret, c: '-' });
    expect(edited.secret).toBe(value.secret);
    expect(withEditedStrings(value, (text) => text)).toBe(value);
  });
});
