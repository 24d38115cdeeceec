import { boundedJson, RESULT_MAX } from './bounded-json';

describe('boundedJson', () => {
  it('returns small values unchanged', () => {
    const value = { text: 'é 漢 👩', list: [1, null, true], object: { a: 'b\nc\td' } };
    expect(boundedJson(value)).toEqual({ value, isCut: false });
  });

  it.each([
    ['a long text', { text: 'x'.repeat(1_000_000) }],
    ['a long list', { list: Array.from({ length: 100_000 }, () => 'text') }],
    ['a list of long texts', { list: Array.from({ length: 200 }, () => 'x'.repeat(3_999)) }],
    [
      'an object of many members',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`m${String(at)}`, 1])),
    ],
  ])('cuts %s to the maximum and reports that', (_case, value) => {
    const bounded = boundedJson(value);
    expect(bounded?.isCut).toBe(true);
    expect(JSON.stringify(bounded?.value).length).toBeLessThanOrEqual(RESULT_MAX);
  });

  it('does not cut a text within a character', () => {
    const { value } = boundedJson({ text: `${'x'.repeat(3_999)}👩${'x'.repeat(100)}` }) ?? {};
    expect(String(value?.['text']).slice(3_998)).toBe('x… [102 more characters]');
  });

  it('cuts deeply nested values and reports that', () => {
    let value: Record<string, unknown> = { end: true };
    for (let level = 0; level < 10_000; level += 1) value = { value };
    expect(boundedJson(value)?.isCut).toBe(true);
  });

  it('returns null when a value is too large even with its texts at the smallest bound', () => {
    const row = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`member-${String(at)}`, 'x'.repeat(200)]),
    );
    expect(boundedJson({ a: row, b: row, c: { d: row, e: row } })).toBeNull();
  });

  it('writes invisible characters and lone surrogates visibly', () => {
    const hidden = 'a\u200bb\u202ec\u{e0041}d\u0000e\ud800f';
    expect(boundedJson({ [hidden]: hidden })?.value).toEqual({
      'a⟦U+200B⟧b⟦U+202E⟧c⟦U+E0041⟧d⟦U+0000⟧e⟦U+D800⟧f': 'a⟦U+200B⟧b⟦U+202E⟧c⟦U+E0041⟧d⟦U+0000⟧e⟦U+D800⟧f',
    });
  });
});
