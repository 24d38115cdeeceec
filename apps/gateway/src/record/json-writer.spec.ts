import fc from 'fast-check';
import { fragment, JsonWriter, remembered } from './json-writer';

const NONE = fragment('');

describe('JsonWriter', () => {
  const writer = new JsonWriter();
  const written = (write: (w: JsonWriter) => void): string => {
    writer.begin();
    write(writer);
    return writer.end().toString('utf8');
  };

  it('writes any string as JSON.stringify does, and null', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (value) => {
        expect(written((w) => w.text(NONE, value))).toBe(Buffer.from(JSON.stringify(value)).toString());
      }),
    );
    expect(written((w) => w.text(fragment('"a":'), null))).toBe('"a":null');
    expect(JSON.parse(written((w) => w.text(NONE, 'line\nend "quoted" \\ \u2028 \ud800')))).toBe(
      'line\nend "quoted" \\ \u2028 \ud800',
    );
  });

  it('writes numbers as JSON.stringify does', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (value) => {
          expect(Number(written((w) => w.number(NONE, value)))).toBe(value === 0 ? 0 : value);
        },
      ),
    );
    for (const value of [0, 9, 10, 99, 100, 999_999_999, 1e9, 2 ** 53 - 1, -1])
      expect(written((w) => w.number(NONE, value))).toBe(String(value));
    expect(written((w) => w.number(NONE, null))).toBe('null');
  });

  it('writes milliseconds that parse to the number rounded to three decimals', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (value) => {
        expect(Number(written((w) => w.ms(NONE, value)))).toBe(Math.round(value * 1_000) / 1_000);
      }),
    );
    expect(written((w) => w.ms(NONE, 1.05))).toBe('1.050');
    expect(written((w) => w.ms(NONE, null))).toBe('null');
  });

  it('grows with its content, and starts again', () => {
    const long = 'é'.repeat(100_000);
    const all = written((w) => {
      w.text(fragment('['), long);
      w.text(fragment(','), 'x'.repeat(200_000));
      w.json(fragment(','), { deep: [true] });
      w.boolean(fragment(','), false);
      w.raw(fragment(']'));
    });
    expect(JSON.parse(all)).toEqual([long, 'x'.repeat(200_000), { deep: [true] }, false]);
    expect(written((w) => w.ascii('1'))).toBe('1');
  });
});

describe('remembered', () => {
  it('creates the JSON of an object once', () => {
    let made = 0;
    const jsonOf = remembered(({ id }: { id: number }) => {
      made += 1;
      return String(id);
    });
    const value = { id: 7 };
    expect([jsonOf(value).toString(), jsonOf(value).toString(), made]).toEqual(['7', '7', 1]);
  });
});
