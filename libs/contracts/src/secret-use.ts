/** AWS Secrets Manager, Azure Key Vault and HashiCorp Vault, by their neutral names. */
export type SecretManagerType = 'cloud1_sm' | 'cloud2_kv' | 'vendor3_vault';

/** Where a secret rests and how to get in. Holds credentials: sealed wherever it is kept or sent. */
export interface SecretLocation {
  readonly managerType: SecretManagerType;
  /** Fields of the manager's `auth_config`. */
  readonly auth: Readonly<Record<string, string>>;
  readonly path: string;
  /** The member of a secret that is a JSON object; null: the secret as a whole. */
  readonly key: string | null;
  /** Another one whenever the reference was saved or rotated: a value that was read under the one before is not used again. */
  readonly version: string;
}

/** A field of a provider's credential whose value is in a secret manager. */
export interface SecretUse {
  /** `key` or `configurations.<field>`. */
  readonly target: string;
  readonly format: 'string' | 'json';
  /** Null: the reference is not open to the provider's workspace. */
  readonly location: SecretLocation | null;
}

/** What `ProviderDocument.sealedCredential` holds. */
export interface ProviderCredentialContent {
  readonly apiKey?: string;
  readonly configurations?: Readonly<Record<string, unknown>>;
  /** They win over a value of the same field. */
  readonly secrets?: readonly SecretUse[];
}
