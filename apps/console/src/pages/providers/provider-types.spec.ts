import { isRequired, type CatalogueField } from './provider-types';

describe('isRequired', () => {
  const field = (required: CatalogueField['required']): CatalogueField => ({
    ...{ name: 'x', kind: 'text', secret: false, required, description: '' },
  });

  it('requires a field depending on the value of another one', () => {
    const secret = field({ field: 'auth_type', oneOf: ['oauth'] });
    expect(isRequired(secret, { auth_type: 'oauth' })).toBe(true);
    expect(isRequired(secret, {})).toBe(false);
    expect(isRequired(field(true), {})).toBe(true);
  });
});
