import type { ConfigurationField } from '@gw/contracts';

/** Returns an optional field that is not secret, unless `more` says otherwise. */
export const textField = (name: string, more: Partial<ConfigurationField> = {}): ConfigurationField => ({
  name,
  kind: 'text',
  secret: false,
  required: false,
  ...more,
});

/**
 * Fields that every provider accepts: a privately hosted endpoint, and headers sent with each call.
 */
export const COMMON_FIELDS: readonly ConfigurationField[] = [
  { name: 'custom_host', kind: 'url', secret: false, required: false },
  { name: 'custom_headers', kind: 'headers', secret: true, required: false },
];
