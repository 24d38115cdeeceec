/** AWS Secrets Manager, Azure Key Vault and HashiCorp Vault, by their neutral names. */
export type SecretManagerType = 'cloud1_sm' | 'cloud2_kv' | 'vendor3_vault';

/**
 * Where a secret is stored and how to authenticate. Contains credentials, so it is always stored
 * and sent encrypted.
 */
export interface SecretLocation {
  readonly managerType: SecretManagerType;
  /** Fields of the manager's `auth_config`. */
  readonly auth: Readonly<Record<string, string>>;
  readonly path: string;
  /** The member of a secret that is a JSON object. Null: the whole secret. */
  readonly key: string | null;
  /**
   * Changes whenever the reference is saved or rotated, so that cached values of older versions are
   * not used.
   */
  readonly version: string;
}

/** A field of a provider's credential whose value is in a secret manager. */
export interface SecretUse {
  /** `key` or `configurations.<field>`. */
  readonly target: string;
  readonly format: 'string' | 'json';
  /** Null: the provider's workspace may not use the reference. */
  readonly location: SecretLocation | null;
}

/** The decrypted content of `ProviderDocument.sealedCredential`. */
export interface ProviderCredentialContent {
  readonly apiKey?: string;
  readonly configurations?: Readonly<Record<string, unknown>>;
  /** Takes precedence over a value of the same field. */
  readonly secrets?: readonly SecretUse[];
}
