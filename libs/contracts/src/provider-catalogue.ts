/** One field of an integration's `configurations`. */
export interface ConfigurationField {
  /** Name in snake_case, as in the API. */
  readonly name: string;
  /**
   * `url` is checked by the address policy, `label` becomes one label of a host name, `segment` one
   * segment of a path, `headers` is a flat map of header names to strings, `json` an object or its
   * text, which is stored as text.
   */
  readonly kind: 'text' | 'label' | 'segment' | 'boolean' | 'url' | 'headers' | 'json' | 'azure_deployments';
  /**
   * Whether the value is stored encrypted and returned only as `masked_<name>`. `headers` keep
   * their name, and their sensitive values are masked.
   */
  readonly secret: boolean;
  /** True: always required. An object: required if the other field has one of these values. */
  readonly required: boolean | { readonly field: string; readonly oneOf: readonly string[] };
  /** Allowed values of a `text`. Absent: any. */
  readonly values?: readonly string[];
  /**
   * True for a `text` that decides where the credential, or a token for it, is sent, or which
   * service accepts the token, such as an audience. `url`, `label` and `segment` always decide
   * that.
   */
  readonly isAddress?: true;
  /**
   * True for an address that selects a part of the provider's own service, such as a region of a
   * cloud, so that only the provider receives the credential.
   */
  readonly staysAtProvider?: true;
  /** Values with which the integration needs no `key`. */
  readonly keyless?: readonly string[];
  /** Values that use the identity of the installation, which the operator must allow. */
  readonly ofInstallation?: readonly string[];
  /** Maximum length of a `text` in characters. Absent: 2048. */
  readonly maxLength?: number;
}

/**
 * A provider that an integration may name, with the facts that the control plane needs to validate
 * and encrypt its credential.
 */
export interface CatalogueProvider {
  /** The same id as in the gateway's provider registry. */
  readonly id: string;
  readonly name: string;
  /** False: an integration of this provider needs no `key`. */
  readonly needsKey: boolean;
  readonly fields: readonly ConfigurationField[];
}

/** Returns whether a field decides, in whole or in part, where the credential is sent. */
export const decidesDestination = ({ kind, isAddress }: ConfigurationField): boolean =>
  kind === 'url' || kind === 'label' || kind === 'segment' || isAddress === true;

/**
 * Returns whether a field can direct the credential to a destination that the caller chooses, such
 * as a host, a resource or an account. A field with listed values cannot.
 */
export const choosesDestination = (field: ConfigurationField): boolean =>
  decidesDestination(field) && field.values === undefined && field.staysAtProvider !== true;

/** Returns whether the configured fields contain a credential, so that no `key` is needed. */
export const isKeyless = (
  { fields }: Pick<CatalogueProvider, 'fields'>,
  values: Readonly<Record<string, unknown>>,
): boolean => fields.some(({ name, keyless }) => hasOneOf(values[name], keyless));

/**
 * Returns the first field whose value uses the identity of the installation; null when none does.
 */
export const fieldOfInstallation = (
  { fields }: Pick<CatalogueProvider, 'fields'>,
  values: Readonly<Record<string, unknown>>,
): string | null =>
  fields.find(({ name, ofInstallation }) => hasOneOf(values[name], ofInstallation))?.name ?? null;

const hasOneOf = (value: unknown, values: readonly string[] | undefined): boolean =>
  typeof value === 'string' && values?.includes(value) === true;
