/** One field of an integration's `configurations`. */
export interface ConfigurationField {
  /** snake_case, as on the wire. */
  readonly name: string;
  /**
   * `url` is checked with the address policy, `label` becomes one label of a host name, `headers` is a flat map of header names
   * to texts.
   */
  readonly kind: 'text' | 'label' | 'boolean' | 'url' | 'headers' | 'azure_deployments';
  /** A secret rests sealed and is answered as `masked_<name>`; `headers` keep their name, telling values are masked. */
  readonly secret: boolean;
  /** True: always needed. A pair: needed when that other field has one of these values. */
  readonly required: boolean | { readonly field: string; readonly oneOf: readonly string[] };
  /** The values that a `text` may have; absent: any. */
  readonly values?: readonly string[];
  /** True for a `text` that decides where the credential, or a token for it, is sent; `url` and `label` always do. */
  readonly isAddress?: true;
  /** Characters of a `text`, 2048 when absent. */
  readonly maxLength?: number;
}

/** A provider that an integration may name: what the control plane must know of it to check and seal its credential. */
export interface CatalogueProvider {
  /** The same id as in the gateway's provider registry. */
  readonly id: string;
  readonly name: string;
  /** False: an integration of it needs no `key`. */
  readonly needsKey: boolean;
  readonly fields: readonly ConfigurationField[];
}

/** True for a field that decides, in whole or in part, where the credential is sent. */
export const decidesDestination = ({ kind, isAddress }: ConfigurationField): boolean =>
  kind === 'url' || kind === 'label' || isAddress === true;
