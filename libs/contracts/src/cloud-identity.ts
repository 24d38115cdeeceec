import type { AwsCredentials } from '@gw/kernel';

/** A short-lived credential that a token service has issued for a provider. */
export type IssuedCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'aws'; readonly keys: AwsCredentials };

/** Where the token of an installation's workload comes from, for exchange at a token service. */
export interface WorkloadToken {
  readonly source: 'file' | 'aws' | 'gcp_metadata' | 'azure_imds';
  /** Path of the token file in a folder of `WIF_TOKEN_DIRS`; null for sources other than `file`. */
  readonly file: string | null;
  /** Audience of the token. Null: the default of the token service. */
  readonly audience: string | null;
}

/**
 * How a provider's short-lived credential is obtained: with secrets of the integration, or with the
 * identity of the installation (`isOfInstallation`).
 */
export type CloudIdentity =
  | { readonly kind: 'oauth_client'; readonly client: OAuthClient }
  /** Text of a key file of type `service_account` or `external_account`. */
  | { readonly kind: 'google_key'; readonly json: string }
  | { readonly kind: 'google_own' }
  | {
      readonly kind: 'google_workload';
      readonly token: WorkloadToken;
      /** The service account to act as; null: the federated identity itself. */
      readonly serviceAccount: string | null;
    }
  | { readonly kind: 'aws_own'; readonly region: string }
  | { readonly kind: 'aws_role'; readonly region: string; readonly roleArn: string }
  | {
      readonly kind: 'aws_workload';
      readonly region: string;
      readonly roleArn: string;
      readonly token: WorkloadToken;
    }
  | {
      readonly kind: 'entra_client';
      readonly tenant: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string;
    }
  | { readonly kind: 'azure_own'; readonly clientId: string | null; readonly scope: string }
  | {
      readonly kind: 'azure_workload';
      /** Null: the tenant from the environment. */
      readonly tenant: string | null;
      readonly clientId: string | null;
      readonly scope: string;
      /** Null: the token file of the environment. */
      readonly token: WorkloadToken | null;
    };

/** A client of the client credentials grant of OAuth 2.0. */
export type OAuthClient = OAuthClientFacts & (SecretAuthentication | KeyAuthentication);

interface OAuthClientFacts {
  readonly endpoint: string;
  readonly id: string;
  readonly scope: string | null;
  readonly audience: string | null;
  readonly resource: string | null;
}

interface SecretAuthentication {
  readonly secret: string;
  /** Where the secret is sent: in the form, or as basic authentication. */
  readonly method: 'client_secret_post' | 'client_secret_basic';
}

/** The client signs assertions (RFC 7523, section 2.2). The key is never sent. */
interface KeyAuthentication {
  readonly method: 'private_key_jwt';
  /** Text of the key; see `readClientKey` of `libs/kernel`. */
  readonly privateKey: string;
  /** The issuer of the authorization server, for which the assertions are. */
  readonly issuer: string;
  readonly keyId: string | null;
  /** Null: the default algorithm of the key's type. */
  readonly algorithm: string | null;
}

/**
 * Names of the client secrets in `configurations`, which are also the targets of secret mappings.
 */
export type ClientSecret = 'client_secret' | 'private_key' | 'secret_access_key' | 'server_client_secret';

type Configurations = Readonly<Record<string, unknown>>;

/**
 * Returns which secret the client of `configurations.oauth_client_credentials` authenticates with.
 */
export const configuredSecret = (configurations: Configurations): 'client_secret' | 'private_key' =>
  textIn(configurations, 'auth_method') === 'private_key_jwt' ? 'private_key' : 'client_secret';

/**
 * Returns the client of `configurations.oauth_client_credentials`. Without `auth_method` it uses
 * HTTP Basic, which every authorization server must support (RFC 6749, section 2.3.1). `secret` is
 * the value of the secret that `configuredSecret` names.
 */
export function configuredClient(configurations: Configurations, secret: string): OAuthClient {
  const text = (name: string): string | null => textIn(configurations, name);
  const facts = {
    ...{ endpoint: text('token_endpoint') ?? '', id: text('client_id') ?? '', scope: text('scope') },
    ...{ audience: null, resource: null },
  };
  if (configuredSecret(configurations) === 'private_key')
    return {
      ...{ ...facts, method: 'private_key_jwt', privateKey: secret, issuer: text('issuer') ?? '' },
      ...{ keyId: text('key_id'), algorithm: text('signing_alg') },
    };
  const isPosted = text('auth_method') === 'client_secret_post';
  return { ...facts, secret, method: isPosted ? 'client_secret_post' : 'client_secret_basic' };
}

function textIn(configurations: Configurations, name: string): string | null {
  const value = (configurations['oauth_client_credentials'] as Configurations | undefined)?.[name];
  return typeof value === 'string' ? value : null;
}

const OF_INSTALLATION: Readonly<Record<CloudIdentity['kind'], boolean>> = {
  oauth_client: false,
  google_key: false,
  google_own: true,
  google_workload: true,
  aws_own: true,
  aws_role: true,
  aws_workload: true,
  entra_client: false,
  azure_own: true,
  azure_workload: true,
};

/**
 * Whether an identity uses the installation's own, which tenants may use only when the operator
 * allows it.
 */
export const isOfInstallation = ({ kind }: CloudIdentity): boolean => OF_INSTALLATION[kind];
