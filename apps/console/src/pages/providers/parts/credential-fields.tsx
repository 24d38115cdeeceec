import { PasswordInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { providers } from '../../../messages';
import { isMasked } from '../../../write';
import type { Fields } from '../../fields/fields';
import { isRequired, type CatalogueField, type CatalogueProvider } from '../provider-types';
import { ConfigurationField } from './configuration-field';

interface CredentialFieldsProps {
  readonly provider: CatalogueProvider;
  readonly fields: Fields;
}

/** Fields that every provider has; they are shown last. */
const COMMON = ['custom_host', 'custom_headers', 'auth_type'];
const isCommon = ({ name }: CatalogueField): boolean => COMMON.includes(name) || name.startsWith('oauth_');

/** Key and settings of a provider, by what the catalogue says of it. A saved secret shows its mask as a hint, never as a value. */
export function CredentialFields({ provider, fields }: CredentialFieldsProps): ReactElement {
  const values = (fields.valueOf('configurations') ?? {}) as Readonly<Record<string, unknown>>;
  const needs = (field: CatalogueField): boolean =>
    isRequired(field, values) || (provider.self_hosted && field.name === 'custom_host');
  const own = provider.configurations.filter((field) => !isCommon(field) || needs(field));
  const others = provider.configurations.filter((field) => !own.includes(field));
  const key = fields.valueOf('key');
  const input = (field: CatalogueField): ReactElement => (
    <ConfigurationField key={field.name} field={field} fields={fields} isRequired={needs(field)} />
  );
  return (
    <div className="col fields">
      {provider.needs_key && (
        <PasswordInput
          label={isMasked(key) ? providers.keyNew : providers.key}
          description={isMasked(key) ? providers.keyNow(String(key)) : providers.keyHint}
          autoComplete="new-password"
          value={typeof key === 'string' && !isMasked(key) ? key : ''}
          error={fields.errorOf('key')}
          onChange={({ currentTarget }) => fields.setValue('key', currentTarget.value)}
        />
      )}
      {own.map(input)}
      {others.length > 0 && (
        <details>
          <summary className="sub">{providers.more}</summary>
          <div className="col fields">{others.map(input)}</div>
        </details>
      )}
    </div>
  );
}
