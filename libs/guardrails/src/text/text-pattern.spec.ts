import { readCases } from '@gw/testing';
import fc from 'fast-check';
import { Work } from '../work';
import { TextPattern } from './text-pattern';

const pace = { step: (units: number) => new Work('spec').step(units) };

interface Row {
  readonly id: string;
  readonly pattern: string;
  readonly input: { readonly repeat: string; readonly count: number; readonly tail: string };
}

const data = readCases('regex_templates.json') as { regex: readonly Row[] };

const compile = (rule: string): TextPattern => {
  const pattern = TextPattern.compile(rule);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
};

describe('TextPattern', () => {
  it.each(data.regex.map((row) => [row.id, row] as const))(
    'refuses pattern %s, or searches it in linear time with a result or a reason',
    async (_, { pattern, input }) => {
      const made = TextPattern.compile(pattern);
      if (typeof made === 'string') return;
      const text = input.repeat.repeat(input.count) + input.tail;
      let outcome: unknown;
      try {
        outcome = await made.found(text, pace);
      } catch (error) {
        outcome = error;
      }
      expect(typeof outcome === 'boolean' || outcome instanceof Error).toBe(true);
    },
  );

  it('matches in texts of any length, at any position', async () => {
    const pattern = compile('\\bsecret-\\d+\\b');
    const filler = fc.integer({ min: 0, max: 60_000 });
    await fc.assert(
      fc.asyncProperty(filler, filler, fc.boolean(), async (before, after, hasMatch) => {
        const word = hasMatch ? 'secret-42' : 'secret';
        const text = `${'word '.repeat(before / 5)} ${word} ${'more '.repeat(after / 5)}`;
        expect(await pattern.found(text, pace)).toBe(hasMatch);
        const places = await pattern.places(text, pace);
        expect(places.map(({ start, end }) => text.slice(start, end))).toEqual(hasMatch ? ['secret-42'] : []);
      }),
      { numRuns: 25 },
    );
  });

  it('finds every match once across the pieces of a long text', async () => {
    const text = 'a1 '.repeat(20_000);
    const places = await compile('a\\d').places(text.slice(0, 27_000), pace);
    expect(places).toHaveLength(9_000);
    expect(places[8_999]).toEqual({ start: 26_997, end: 26_999 });
  });

  it('finds matches of large patterns, such as a list of words, in long texts', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `forbidden${String(index)}`);
    const pattern = compile(`/\\b(?:${words.join('|')})\\b/i`);
    const text = `${'filler words '.repeat(3_000)} Forbidden59 ${'and more '.repeat(3_000)}`;
    expect(await pattern.found(text, pace)).toBe(true);
    expect(pattern.placesNow(text)).toEqual([{ start: 39_001, end: 39_012 }]);
    expect(await pattern.found(text.replace('59', '60'), pace)).toBe(false);
  });

  it.each([
    ['^x', true],
    ['^y', false],
    ['\\Axx', true],
    ['x$', false],
    ['end$', true],
    ['end\\z', true],
    ['[$^]a', false],
    ['\\^x', false],
  ])('searches a long text at the end to which the pattern %s is anchored', async (rule, isFound) => {
    expect(await compile(rule).found(`${'x'.repeat(300_000)}end`, pace)).toBe(isFound);
  });

  it.each(['^a.*b$', '^a|b', '(?:a|^)b', '/^b/m'])(
    'cannot decide about a long text for %s, whose anchors are not at an end of the pattern',
    async (rule) => {
      const pattern = compile(rule);
      await expect(async () => await pattern.found('x'.repeat(300_000), pace)).rejects.toThrow('longer than');
    },
  );

  it('accepts the flags i, m and s, and no others', () => {
    expect(compile('/^b/m').found('a\nb', pace)).toBe(true);
    expect(compile('/a.b/s').found('a\nb', pace)).toBe(true);
    expect(compile('/A/gi').found('a', pace)).toBe(true);
    expect(TextPattern.compile('/a/y')).toMatch('not supported');
  });

  it('covers the whole text with places on a stream when locating matches takes too long', () => {
    const pattern = compile('(?:.*z)|a');
    const text = 'a'.repeat(5_000);
    const places = pattern.placesNow(text);
    expect(places.at(-1)?.end).toBe(text.length);
    let end = 0;
    for (const place of places) {
      expect(place.start).toBe(end);
      end = place.end;
    }
  });
});
