import type { McpAuthType } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { MASK, unmaskedHeaders } from '../credentials/header-map';
import type { SecretClients } from './client-secrets';
import type { Fields } from './configuration-faults';
import type { UpstreamKind } from './upstream-kind';

/** Members of `configurations` in a request; absent keeps what is saved, null clears all. */
export type ConfigurationInput = Fields | null | undefined;

/**
 * Merges new members into the saved ones: an absent member stays, null clears it, and masked
 * secrets stay. Removes saved secrets of another authentication type; those that the request
 * contains stay, and are reported as faults.
 */
export function mergedConfigurations(
  { clients, rules: { memberOf } }: Pick<UpstreamKind, 'clients' | 'rules'>,
  saved: Fields,
  input: ConfigurationInput,
  authType: McpAuthType,
): Fields {
  const ownMember = memberOf[authType];
  const givenNames = new Set(
    Object.keys(input ?? {}).map((name) => (name === 'custom_headers' ? 'headers' : name)),
  );
  return Object.fromEntries(
    Object.entries(withInput(clients, saved, input)).filter(
      ([name]) => name === ownMember || givenNames.has(name) || !Object.values(memberOf).includes(name),
    ),
  );
}

function withInput(clients: SecretClients, saved: Fields, input: ConfigurationInput): Fields {
  if (input === null) return {};
  const merged: Record<string, unknown> = { ...saved };
  for (const [given, value] of Object.entries(input ?? {})) {
    const name = given === 'custom_headers' && input?.['headers'] === undefined ? 'headers' : given;
    if (value === null) delete merged[name];
    else merged[name] = withKeptSecrets(clients, name, value, saved[name]);
  }
  return merged;
}

/** Returns the new value of a member, with the saved secrets in place of masked and absent ones. */
function withKeptSecrets(clients: SecretClients, name: string, value: unknown, saved: unknown): unknown {
  if (!isObject(value) || !isObject(saved)) return value;
  if (name === 'headers') return unmaskedHeaders(value as Record<string, string>, saved);
  const kept: Record<string, unknown> = { ...value };
  for (const member of Object.hasOwn(clients, name) ? (clients[name] ?? []) : []) {
    if (kept[member] !== undefined && kept[member] !== MASK) continue;
    if (saved[member] === undefined) delete kept[member];
    else kept[member] = saved[member];
  }
  return kept;
}
