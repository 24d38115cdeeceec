/** One field of an integration's `configurations`. */
export interface ConfigurationField {
  /** Name in snake_case, as in the API. */
  readonly name: string;
  /**
   * `url` is checked by the address policy, `label` becomes one label of a host name, `segment` one
   * segment of a path, `headers` is a flat map of header names to strings.
   */
  readonly kind: 'text' | 'label' | 'segment' | 'boolean' | 'url' | 'headers' | 'azure_deployments';
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
   * True for a `text` that decides where the credential, or a token for it, is sent. `url`,
   * `label` and `segment` always do.
   */
  readonly isAddress?: true;
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
