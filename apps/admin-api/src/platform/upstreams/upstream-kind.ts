import type { ClientSecret, McpAuthType } from '@gw/contracts';
import type { SecretClients } from './client-secrets';
import type { Fields } from './configuration-faults';
import type { ConfigurationRules } from './configuration-rules';

/** Rules for the configurations and secrets of one kind of integration, such as MCP servers. */
export interface UpstreamKind {
  readonly rules: ConfigurationRules;
  readonly clients: SecretClients;
  /** Secrets that secret mappings may set, with the authentication types that use them. */
  readonly mappable: Readonly<Partial<Record<ClientSecret, readonly McpAuthType[]>>>;
  /**
   * Returns the addresses to which secrets and signatures of clients are sent, by the paths of the
   * members that contain them.
   */
  readonly clientAddresses: (values: Fields) => Fields;
  /**
   * Whether the path of the URL decides where secrets are sent, with these configurations, so that
   * a secret is bound to the whole URL instead of its origin.
   */
  readonly isPathBound: (values: Fields) => boolean;
  /** Returns the context to which the secrets of an integration are sealed. */
  readonly binding: (organisationId: string, integrationId: string) => string;
}
