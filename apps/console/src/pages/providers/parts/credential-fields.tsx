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

/** The key of a provider. A saved one shows its mask as a hint. */
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

/** Factor for all prices of the provider. */
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
      // A text that is not empty is a number that is still being typed, such as `1.`.
      onChange={(value) => {
        if (typeof value === 'number' || value === '')
          fields.setValue(MULTIPLIER, value === '' ? null : value);
      }}
    />
  );
}
