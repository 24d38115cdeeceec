import type { A2aVersion } from '../index';
import { translated } from '../spec-support/translated';
import { vectors } from '../spec-support/vectors';

interface TranslateCase {
  readonly input: { readonly from: A2aVersion; readonly value: unknown };
  readonly expect: { readonly to: A2aVersion; readonly value: unknown };
}

describe('translation between 0.3 and 1.0', () => {
  it.each(vectors<TranslateCase>('translate'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    expect(translated(input.value, { from: input.from, to: wanted.to })).toEqual(wanted.value);
  });
});
