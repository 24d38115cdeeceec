import { CLIENT_SECRET_CONTENT, type ClientSecret, type McpAuthContent } from '@gw/contracts';
import type { McpIntegrationEntity } from '@gw/entities';
import { isObject } from '@gw/kernel';

/** OAuth client configurations of MCP integrations, and the members of each that are secret. */
export const MCP_CLIENTS = {
  oauth_client_credentials: ['client_secret', 'private_key'],
  oauth_metadata: ['client_secret', 'private_key'],
  token_exchange: ['client_secret', 'private_key'],
  aws_sigv4: ['secret_access_key'],
  id_jag: ['client_secret', 'server_client_secret'],
} as const satisfies Readonly<Record<string, readonly ClientSecret[]>>;

type Secrets = Readonly<Partial<Record<ClientSecret, unknown>>>;

const NAMES = Object.keys(CLIENT_SECRET_CONTENT) as readonly ClientSecret[];

/** Returns the secrets of OAuth clients in unsealed content, by member name. */
export const clientSecretsOf = (content: McpAuthContent): Readonly<Partial<Record<ClientSecret, string>>> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const secret = content[CLIENT_SECRET_CONTENT[name]];
      return secret === undefined ? [] : [[name, secret]];
    }),
  );

/** Returns the name of each client configuration with its secret members. */
export const mcpClients = (): [name: string, secrets: readonly ClientSecret[]][] =>
  Object.entries(MCP_CLIENTS);

/**
 * Returns the configurations of an MCP integration as a response shows them, with masked secrets.
 */
export function shownMcpConfigurations({
  configurations,
  maskedAuth,
}: Pick<McpIntegrationEntity, 'configurations' | 'maskedAuth'>): Record<string, unknown> {
  const { headers, ...secrets } = maskedAuth;
  return withClientSecrets({ ...configurations, ...(headers ? { headers } : {}) }, secrets);
}

/** Adds the secrets to the configurations of clients; undefined secrets are skipped. */
export function withClientSecrets(
  values: Record<string, unknown>,
  secrets: Secrets,
): Record<string, unknown> {
  for (const [name, members] of mcpClients()) {
    const client = values[name];
    if (!isObject(client)) continue;
    const secretMembers = members.filter((member) => secrets[member] !== undefined);
    values[name] = {
      ...client,
      ...Object.fromEntries(secretMembers.map((member) => [member, secrets[member]])),
    };
  }
  return values;
}
