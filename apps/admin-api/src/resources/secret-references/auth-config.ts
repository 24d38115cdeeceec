import type { SecretManagerType } from '@gw/contracts';
import {
  type AddressPolicy,
  assertAllowedUrl,
  type ErrorDetail,
  isStorableText,
  isVisibleAscii,
} from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { shortenedFault } from '../../platform/credentials/shown-secret';
import { assertSecretsStay, type BoundSecrets } from '../../platform/credentials/secrets-stay';

type Kind = 'text' | 'label' | 'domain' | 'url';

interface AuthField {
  readonly name: string;
  readonly kind: Kind;
  readonly secret: boolean;
  readonly required: boolean;
}

/**
 * Authentication modes of one secret manager: the field that selects the mode, and the fields of
 * each mode.
 */
interface Manager {
  readonly selector: string;
  readonly ways: Readonly<Record<string, readonly AuthField[]>>;
}

const field = (name: string, kind: Kind = 'text', required = true): AuthField => ({
  name,
  kind,
  secret: false,
  required,
});
const secret = (name: string): AuthField => ({ name, kind: 'text', secret: true, required: true });

const REGION = field('aws_region', 'label');
const VAULT_URL = field('azure_vault_url', 'url');
const NAMESPACE = 'vault_namespace';
const VAULT = [field('vault_addr', 'url'), field(NAMESPACE, 'text', false)];

const MANAGERS: Readonly<Record<SecretManagerType, Manager>> = {
  cloud1_sm: {
    selector: 'aws_auth_type',
    ways: {
      accessKey: [field('aws_access_key_id'), secret('aws_secret_access_key'), REGION],
      assumedRole: [field('aws_role_arn'), field('aws_external_id', 'text', false), REGION],
      serviceRole: [REGION],
    },
  },
  cloud2_kv: {
    selector: 'azure_auth_mode',
    ways: {
      entra: [
        field('azure_entra_tenant_id', 'domain'),
        field('azure_entra_client_id'),
        secret('azure_entra_client_secret'),
        VAULT_URL,
      ],
      managed: [field('azure_managed_client_id'), VAULT_URL],
      default: [VAULT_URL],
    },
  },
  vendor3_vault: {
    selector: 'vault_auth_type',
    ways: {
      token: [secret('vault_token'), ...VAULT],
      approle: [field('vault_role_id'), secret('vault_secret_id'), ...VAULT],
      kubernetes: [field('vault_role'), ...VAULT],
    },
  },
};

const PUBLIC_NAMES: Readonly<Record<string, SecretManagerType>> = {
  aws_sm: 'cloud1_sm',
  azure_kv: 'cloud2_kv',
  hashicorp_vault: 'vendor3_vault',
};

export const MANAGER_TYPES: readonly SecretManagerType[] = ['cloud1_sm', 'cloud2_kv', 'vendor3_vault'];
/** All names of secret managers that requests may use. */
export const MANAGER_NAMES: readonly string[] = [...MANAGER_TYPES, ...Object.keys(PUBLIC_NAMES)];
export const managerTypeOf = (name: string): SecretManagerType =>
  PUBLIC_NAMES[name] ?? (name as SecretManagerType);

export interface AuthConfig {
  readonly open: Readonly<Record<string, string>>;
  readonly secret: Readonly<Record<string, string>>;
}

const NO_AUTH: AuthConfig = { open: {}, secret: {} };
const MASKED = 'masked_';
const LENGTH_MAX = 8_192;

/**
 * Merges an `auth_config` into the saved one and splits it into plain and secret fields. Another
 * authentication mode starts without saved values, and a saved secret is never kept with another
 * address. Throws `validation_failed` with all faults, or `custom_host_refused`.
 */
export function readAuthConfig(
  managerType: SecretManagerType,
  input: Readonly<Record<string, unknown>>,
  policy: AddressPolicy,
  saved: AuthConfig = NO_AUTH,
): AuthConfig {
  const { selector, ways: modes } = MANAGERS[managerType];
  const mode = input[selector] ?? saved.open[selector];
  const fields = typeof mode === 'string' && Object.hasOwn(modes, mode) ? modes[mode] : undefined;
  if (!fields) {
    const names = Object.keys(modes).join(', ');
    throw validationFailed([{ path: `auth_config.${selector}`, message: `must be one of ${names}` }]);
  }
  const values = merged(fields, input, saved.open[selector] === mode ? saved : NO_AUTH);
  const faults = [
    ...unknownFieldFaults(fields, selector, input),
    ...fields.flatMap((item) => faultsOf(item, values)),
  ];
  if (faults.length > 0) throw validationFailed(faults);
  for (const { name, kind } of fields) {
    if (kind === 'url') assertAllowedUrl(policy, values[name], `auth_config.${name}`);
  }
  const texts = values as Record<string, string>;
  if (saved !== NO_AUTH) {
    const givenNames = Object.keys(input).filter((name) => typeof input[name] === 'string');
    const before = bound(fields, { ...saved.open, ...saved.secret });
    assertSecretsStay(before, bound(fields, texts), new Set(givenNames.map((name) => `auth_config.${name}`)));
  }
  const part = (isSecret: boolean): Record<string, string> =>
    Object.fromEntries(
      fields.flatMap(({ name, secret: hidden }): [string, string][] => {
        const value = texts[name];
        return hidden === isSecret && value !== undefined ? [[name, value]] : [];
      }),
    );
  return { open: { [selector]: mode as string, ...part(false) }, secret: part(true) };
}

function merged(
  fields: readonly AuthField[],
  input: Readonly<Record<string, unknown>>,
  saved: AuthConfig,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name } of fields) {
    const given = input[name];
    const value = given === undefined ? (saved.open[name] ?? saved.secret[name]) : given;
    if (value !== undefined && value !== null) values[name] = value;
  }
  return values;
}

/** Returns faults for unknown fields. Masked secrets from a response are ignored. */
function unknownFieldFaults(
  fields: readonly AuthField[],
  selector: string,
  input: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  const known = new Set([
    selector,
    ...fields.map(({ name }) => name),
    ...fields.filter((item) => item.secret).map(({ name }) => MASKED + name),
  ]);
  return Object.keys(input)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `auth_config.${name}`, message: 'is not a field of this authentication mode' }));
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const DOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i;

function faultsOf(
  { name, kind, required }: AuthField,
  values: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  const path = `auth_config.${name}`;
  const value = values[name];
  if (value === undefined) return required ? [{ path, message: 'is required' }] : [];
  // `assertAllowedUrl` checks values of any type.
  if (kind === 'url') return [];
  const shortened = shortenedFault(value);
  if (shortened !== null) return [{ path, message: shortened }];
  if (typeof value !== 'string' || !isVisibleAscii(value)) {
    return [{ path, message: 'must be a string without spaces or control characters' }];
  }
  if (value.length > LENGTH_MAX) {
    return [{ path, message: `must have at most ${String(LENGTH_MAX)} characters` }];
  }
  if (kind === 'label' && !LABEL.test(value))
    return [{ path, message: 'must be a single label of a host name' }];
  if (kind === 'domain' && !DOMAIN.test(value)) return [{ path, message: 'must be an id or a domain' }];
  return [];
}

/**
 * Returns secrets and address fields, by path. Regions, domains and namespaces count as addresses,
 * since they also decide where a secret is sent.
 */
function bound(fields: readonly AuthField[], texts: Readonly<Record<string, unknown>>): BoundSecrets {
  const part = (isSecret: boolean): Record<string, unknown> =>
    Object.fromEntries(
      fields
        .filter(({ secret: hidden, kind, name }) =>
          hidden ? isSecret : !isSecret && (kind !== 'text' || name === NAMESPACE),
        )
        .map(({ name }) => [`auth_config.${name}`, texts[name]]),
    );
  return { addresses: part(false), secrets: part(true) };
}

/** Returns the fields as a response shows them: a secret is renamed to `masked_<name>`. */
export const shownAuth = (
  open: Readonly<Record<string, string>>,
  masked: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...open,
  ...Object.fromEntries(Object.entries(masked).map(([name, value]) => [MASKED + name, value])),
});

const AZURE_PATH = /^[0-9A-Za-z-]{1,127}(?:\/[0-9a-fA-F]{1,64})?$/;

/**
 * Returns the rule that a secret path breaks, as part of a sentence; null when it breaks none. Path
 * segments must not leave the path of the manager's API.
 */
export function secretPathFault(managerType: SecretManagerType, path: string): string | null {
  if (!isStorableText(path) || /\p{Cc}/u.test(path)) return 'must not contain control characters';
  switch (managerType) {
    case 'cloud1_sm':
      return null;
    case 'cloud2_kv':
      return AZURE_PATH.test(path) ? null : 'must be the name of a secret, or <name>/<version>';
    case 'vendor3_vault':
      return path.split('/').some((segment) => ['', '.', '..'].includes(segment))
        ? 'must be a path without empty, `.` and `..` segments, such as secret/data/openai'
        : null;
  }
}
