import fc from 'fast-check';
import { newUserCode, userCodeForm } from './index';

describe('newUserCode and userCodeForm', () => {
  it('create distinct codes of eight of twenty consonants, with every letter at every place', () => {
    const codes = Array.from({ length: 2_000 }, newUserCode);
    for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(new Set(codes).size).toBe(codes.length);
    for (const place of [0, 1, 2, 3, 5, 6, 7, 8])
      expect(new Set(codes.map((code) => code[place])).size).toBe(20);
  });

  it('normalise a code typed in any case and with any separators', () => {
    const gap = fc.constantFrom('', ' ', '-', ' - ');
    fc.assert(
      fc.property(fc.array(gap, { minLength: 9, maxLength: 9 }), fc.boolean(), (gaps, isLower) => {
        const code = newUserCode();
        const typed = gaps.map((each, index) => each + (code.replace('-', '')[index] ?? '')).join('');
        expect(userCodeForm(isLower ? typed.toLowerCase() : typed)).toBe(code);
      }),
    );
  });

  it.each([
    '',
    'BCDF-GHJ',
    'BCDF-GHJKL',
    'ABCD-FGHJ',
    'BCDF_GHJK',
    'BCDF-GHJſ',
    'BCDF-GHJK'.padEnd(65),
    '１２３４５６７８',
  ])('return undefined for %j', (typed) => {
    expect(userCodeForm(typed)).toBeUndefined();
  });
});
