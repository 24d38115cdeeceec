import { configInvalid, type ConfigErrorDetail, type GatewayConfig } from '@gw/config-schema';
import { validateConfig } from '@gw/routing';
import { catalogueProvider, PROVIDER_CATALOGUE } from '@gw/providers';
import type { AddressPolicy } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { knownGuardrails, type GuardrailScope } from '../../platform/rows/guardrail-references';
import { assertHostsStay } from './config-hosts';
import {
  guardrailsNamedBy,
  secretsOfInlineGuardrails,
  inlineGuardrailFaults,
} from '../../platform/rows/config-guardrails';

/**
 * Suffixes of names of provider fields that are credentials; the catalogue marks further fields as
 * secret.
 */
const SECRET =
  /_(?:secret|api_key|access_key|private_key|token|credentials?|password|service_account_json)$/i;
const SECRETS: ReadonlySet<string> = new Set([
  'api_key',
  ...PROVIDER_CATALOGUE.flatMap(({ fields }) =>
    fields.filter(({ secret }) => secret).map(({ name }) => name),
  ),
]);

/** Whether a member of a config with this name is a credential. */
export const isCredential = (name: string): boolean => SECRETS.has(name) || SECRET.test(name);

/**
 * Checks a config that is to be saved. Throws `config_invalid` as `validConfig` does, and if the
 * config contains credentials, listing all of them, because everyone with `configs.read` can read a
 * saved config.
 */
export async function assertSavable(
  manager: EntityManager,
  scope: GuardrailScope,
  config: Readonly<Record<string, unknown>>,
  addresses: AddressPolicy,
): Promise<void> {
  await validConfig(manager, scope, config, addresses);
  const credentials = [
    ...credentialsIn(config, []),
    ...secretsOfInlineGuardrails(config).map(({ path }) => ({
      path,
      message: 'is a secret; save it in a guardrail and name the guardrail here',
      rule: 'credential',
      value: '(hidden)',
    })),
  ];
  if (credentials.length > 0) throw configInvalid(credentials);
  if (scope.workspaceId !== null) await assertHostsStay(manager, scope.workspaceId, config);
}

/**
 * Checks the rules of the document, that its addresses are allowed and that the named guardrails
 * exist in the workspace or its organisation; then checks its inline guardrails. Throws
 * `config_invalid` with all faults of the first of the two checks that fails. Returns `config`
 * itself, not a copy.
 */
export async function validConfig(
  manager: EntityManager,
  scope: GuardrailScope,
  config: Readonly<Record<string, unknown>>,
  addresses: AddressPolicy,
): Promise<GatewayConfig> {
  const checkHost = (url: string): string | null => {
    const verdict = addresses.checkUrl(url);
    return verdict.ok ? null : verdict.rule;
  };
  const isKnownGuardrail = await knownGuardrails(manager, scope, guardrailsNamedBy(config));
  const result = validateConfig(config, {
    // Saved providers may be created later or deleted, so only names from the catalogue are
    // checked.
    isKnownProvider: (id) => id.startsWith('@') || catalogueProvider(id) !== undefined,
    isKnownGuardrail,
    checkHost,
  });
  if (!result.ok) throw configInvalid(result.details);
  const faults = inlineGuardrailFaults(config, checkHost);
  if (faults.length > 0) throw configInvalid(faults);
  return result.config;
}

/**
 * Returns the paths of all credentials in a config. The config must be valid, so that its nesting
 * is bounded.
 */
function credentialsIn(
  node: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
): ConfigErrorDetail[] {
  const ownFaults = Object.keys(node)
    .filter(isCredential)
    .map((name) => ({
      path: [...path, name].join('.'),
      message: 'is a credential; save it in a provider and name the provider here',
      rule: 'credential',
      value: '(hidden)',
    }));
  const targets = Array.isArray(node['targets']) ? (node['targets'] as Record<string, unknown>[]) : [];
  const { embeddings } = (node['cache'] ?? {}) as { readonly embeddings?: Record<string, unknown> };
  return [
    ...ownFaults,
    ...(embeddings ? credentialsIn(embeddings, [...path, 'cache', 'embeddings']) : []),
    ...targets.flatMap((target, i) => credentialsIn(target, [...path, 'targets', i])),
  ];
}
