import { CLIENT_SECRET_CONTENT, type McpAuthContent } from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import { isObject } from '@gw/kernel';
import { MASK } from '../credentials/header-map';
import { clientSecretsOf, withClientSecrets, type SecretClients } from './client-secrets';
import type { Fields } from './configuration-faults';
import { ROOT } from './configuration-rules';
import type { ConfigurationInput } from './merged-configurations';

/** Returns the configurations with their secrets. `separatedSecrets` is the inverse. */
export const withSecrets = (
  clients: SecretClients,
  configurations: Fields,
  content: McpAuthContent,
): Record<string, unknown> =>
  withClientSecrets(
    clients,
    { ...configurations, ...(content.headers ? { headers: content.headers } : {}) },
    clientSecretsOf(content),
  );

/** Separates configurations into those that are not secret and the content to be sealed. */
export function separatedSecrets(
  clients: SecretClients,
  { headers, ...open }: Record<string, unknown>,
): { readonly open: Record<string, unknown>; readonly content: McpAuthContent } {
  const secrets: Record<string, string> = {};
  for (const [name, members] of Object.entries(clients)) {
    const client = open[name];
    if (!isObject(client)) continue;
    const shown = { ...client };
    for (const member of members) {
      const secret = client[member];
      if (typeof secret === 'string') secrets[CLIENT_SECRET_CONTENT[member]] = secret;
      delete shown[member];
    }
    open[name] = shown;
  }
  const hasHeaders = isObject(headers) && Object.keys(headers).length > 0;
  return {
    open,
    content: { ...(hasHeaders ? { headers: headers as Record<string, string> } : {}), ...secrets },
  };
}

/** Returns the masks that responses show instead of sealed content. */
export function maskedContent(content: McpAuthContent): UpstreamIntegration['maskedAuth'] {
  const masks = (names: object): Record<string, string> =>
    Object.fromEntries(Object.keys(names).map((name) => [name, MASK]));
  return {
    ...(content.headers ? { headers: masks(content.headers) } : {}),
    ...masks(clientSecretsOf(content)),
  };
}

/** Returns the secrets in configurations by their request paths. */
export const secretsByPath = (clients: SecretClients, values: Fields): Fields =>
  Object.fromEntries(
    [...headersByPath(values['headers']), ...clientSecretsByPath(clients, values)].filter(
      ([, value]) => value !== undefined && value !== null,
    ),
  );

/** Returns the request paths of the secrets that a request contains in clear text. */
export function givenSecrets(clients: SecretClients, input: ConfigurationInput): ReadonlySet<string> {
  const { headers, custom_headers: alias, ...rest } = input ?? {};
  const given = [...headersByPath(headers), ...headersByPath(alias), ...clientSecretsByPath(clients, rest)];
  return new Set(
    given.filter(([, value]) => typeof value === 'string' && value !== MASK).map(([path]) => path),
  );
}

type SecretAtPath = readonly [path: string, secret: unknown];

const headersByPath = (headers: unknown): readonly SecretAtPath[] =>
  isObject(headers) ? Object.entries(headers).map(([name, value]) => [`${ROOT}.headers.${name}`, value]) : [];

const clientSecretsByPath = (clients: SecretClients, values: Fields): readonly SecretAtPath[] =>
  Object.entries(clients).flatMap(([name, members]) => {
    const client = values[name];
    if (!isObject(client)) return [];
    return members.map((member): SecretAtPath => [`${ROOT}.${name}.${member}`, client[member]]);
  });
