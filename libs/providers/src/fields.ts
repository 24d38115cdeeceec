import type { ConfigurationField } from '@gw/contracts';

/** An optional text that is no secret, unless `more` says otherwise. */
export const textField = (name: string, more: Partial<ConfigurationField> = {}): ConfigurationField => ({
  name,
  kind: 'text',
  secret: false,
  required: false,
  ...more,
});

/** Every provider takes these: a privately hosted endpoint and headers that go with each call. */
export const COMMON_FIELDS: readonly ConfigurationField[] = [
  { name: 'custom_host', kind: 'url', secret: false, required: false },
  { name: 'custom_headers', kind: 'headers', secret: true, required: false },
];
