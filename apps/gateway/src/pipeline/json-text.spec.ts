import fc from 'fast-check';
import { ms, remembered, text } from './json-text';

describe('text', () => {
  it('is what JSON.stringify makes of any string, and null', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(text(value)).toBe(JSON.stringify(value));
      }),
    );
    expect(text(null)).toBe('null');
    expect(JSON.parse(text('line\nend "quoted" \\ \u2028 \ud800'))).toBe(
      'line\nend "quoted" \\ \u2028 \ud800',
    );
  });
});

describe('ms', () => {
  it('reads back as the number rounded to three decimals', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (value) => {
        expect(Number(ms(value))).toBe(Math.round(value * 1_000) / 1_000);
      }),
    );
    expect(ms(null)).toBe('null');
  });
});

describe('remembered', () => {
  it('makes the text of an object once', () => {
    let made = 0;
    const textOf = remembered(({ id }: { id: number }) => {
      made += 1;
      return String(id);
    });
    const value = { id: 7 };
    expect([textOf(value), textOf(value), made]).toEqual(['7', '7', 1]);
  });
});
