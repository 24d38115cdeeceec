import { CLIENT_SECRET_CONTENT, type ClientSecret, type McpAuthContent } from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import { isObject } from '@gw/kernel';

/** Client configurations of one kind of integration, with the members of each that are secret. */
export type SecretClients = Readonly<Record<string, readonly ClientSecret[]>>;

export const AGENT_CLIENTS: SecretClients = { oauth_client_credentials: ['client_secret'] };

export const MCP_CLIENTS: SecretClients = {
  oauth_client_credentials: ['client_secret', 'private_key'],
  oauth_metadata: ['client_secret', 'private_key'],
  token_exchange: ['client_secret', 'private_key'],
  aws_sigv4: ['secret_access_key'],
  id_jag: ['client_secret', 'server_client_secret'],
};

const NAMES = Object.keys(CLIENT_SECRET_CONTENT) as readonly ClientSecret[];

/** Returns the secrets of clients in unsealed content, by member name. */
export const clientSecretsOf = (content: McpAuthContent): Readonly<Partial<Record<ClientSecret, string>>> =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const secret = content[CLIENT_SECRET_CONTENT[name]];
      return secret === undefined ? [] : [[name, secret]];
    }),
  );

/** Returns the configurations of an integration as a response shows them, with masked secrets. */
export function shownConfigurations(
  clients: SecretClients,
  { configurations, maskedAuth }: Pick<UpstreamIntegration, 'configurations' | 'maskedAuth'>,
): Record<string, unknown> {
  const { headers, ...secrets } = maskedAuth;
  return withClientSecrets(clients, { ...configurations, ...(headers ? { headers } : {}) }, secrets);
}

/** Adds the secrets to the configurations of clients; undefined secrets are skipped. */
export function withClientSecrets(
  clients: SecretClients,
  values: Record<string, unknown>,
  secrets: Readonly<Partial<Record<ClientSecret, unknown>>>,
): Record<string, unknown> {
  for (const [name, members] of Object.entries(clients)) {
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
