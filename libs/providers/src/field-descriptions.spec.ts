import { PROVIDER_CATALOGUE } from './catalogue';
import { fieldDescription } from './field-descriptions';

describe('fieldDescription', () => {
  it('describes each field of each provider in one sentence', () => {
    for (const { fields } of PROVIDER_CATALOGUE) {
      for (const { name } of fields) expect(fieldDescription(name)).toMatch(/^[A-Z][^\n]{5,120}\.$/);
    }
  });

  it('throws for a field that no provider has', () => {
    expect(() => fieldDescription('unheard_of')).toThrow(/unheard_of has no description/);
  });
});
