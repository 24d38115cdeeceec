import { NumberInput, PasswordInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { providers } from '../../../messages';
import { isMasked } from '../../../write';
import { numberAt, type Fields } from '../../fields/fields';
import { isRequired, type CatalogueField, type CatalogueProvider } from '../provider-types';
import { ConfigurationField } from './configuration-field';
import { SecretSource } from './secret-source';
import './credential.css';

interface CredentialFieldsProps {
  readonly provider: CatalogueProvider;
  readonly fields: Fields;
}

/** Fields of every provider, which are shown last. */
const COMMON = ['custom_host', 'custom_headers', 'auth_type'];
const isCommon = ({ name }: CatalogueField): boolean => COMMON.includes(name) || name.startsWith('oauth_');

/**
 * Fields for the key and settings of a provider, as the catalogue describes them. The mask of a
 * saved secret is shown as a hint, never as the value.
 */
export function CredentialFields({ provider, fields }: CredentialFieldsProps): ReactElement {
  const values = (fields.valueOf('configurations') ?? {}) as Readonly<Record<string, unknown>>;
  const needs = (field: CatalogueField): boolean =>
    isRequired(field, values) || (provider.self_hosted && field.name === 'custom_host');
  const own = provider.configurations.filter((field) => !isCommon(field) || needs(field));
  const others = provider.configurations.filter((field) => !own.includes(field));
  const input = (field: CatalogueField): ReactElement => {
    const shown = (
      <ConfigurationField key={field.name} field={field} fields={fields} isRequired={needs(field)} />
    );
    if (!field.secret || field.kind === 'headers' || field.kind === 'json') return shown;
    const [target, label] = [`configurations.${field.name}`, providers.fieldName(field.name)];
    return (
      <SecretSource key={field.name} target={target} label={label} fields={fields}>
        {shown}
      </SecretSource>
    );
  };
  return (
    <div className="col fields">
      {provider.needs_key && (
        <SecretSource target="key" label={providers.key} fields={fields}>
          <KeyField fields={fields} />
        </SecretSource>
      )}
      {own.map(input)}
      <details>
        <summary className="sub">{providers.more}</summary>
        <div className="col fields">
          {others.map(input)}
          <PriceAdjustment fields={fields} />
        </div>
      </details>
    </div>
  );
}

/** Field for the key of a provider. The mask of a saved key is shown as a hint. */
export function KeyField({ fields }: { readonly fields: Fields }): ReactElement {
  const key = fields.valueOf('key');
  return (
    <PasswordInput
      label={isMasked(key) ? providers.keyNew : providers.key}
      description={isMasked(key) ? providers.keyNow(String(key)) : providers.keyHint}
      autoComplete="new-password"
      value={typeof key === 'string' && !isMasked(key) ? key : ''}
      error={fields.errorOf('key')}
      onChange={({ currentTarget }) => fields.setValue('key', currentTarget.value)}
    />
  );
}

const MULTIPLIER = 'pricing_adjustments.multiplier.default';

/** Field for a multiplier of all prices of the provider. */
function PriceAdjustment({ fields }: { readonly fields: Fields }): ReactElement {
  return (
    <NumberInput
      label={providers.adjustment}
      description={providers.adjustmentHint}
      min={0}
      max={100}
      step={0.05}
      decimalScale={4}
      value={numberAt(fields, MULTIPLIER)}
      error={fields.errorOf(MULTIPLIER) ?? fields.errorOf('pricing_adjustments')}
      // A non-empty text is an incomplete number, such as `1.`, and is ignored.
      onChange={(value) => {
        if (typeof value === 'number' || value === '')
          fields.setValue(MULTIPLIER, value === '' ? null : value);
      }}
    />
  );
}
