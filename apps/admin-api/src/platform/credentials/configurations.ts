import {
  choosesDestination,
  decidesDestination,
  type CatalogueProvider,
  type ConfigurationField,
} from '@gw/contracts';
import { assertAllowedUrl, isHeaderValue, type AddressPolicy, type ErrorDetail } from '@gw/kernel';
import { headerMapFaults, isMaskedHeader, unmaskedHeaders } from './header-map';
import { shortenedFault } from './shown-secret';
import type { BoundSecrets } from './secrets-stay';

/** Provider fields of an integration, split into plain and secret fields. */
export interface Configurations {
  readonly open: Readonly<Record<string, unknown>>;
  readonly secret: Readonly<Record<string, unknown>>;
}

/** A host name label (RFC 1123). Any other character could change the host. */
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
/** A path segment that cannot contain another segment, before or after decoding. */
const SEGMENT = /^[A-Za-z0-9_-]+$/;
const TEXT_LENGTH_MAX = 2_048;
const DEPLOYMENTS_MAX = 100;
const MASKED = 'masked_';
const NONE: ReadonlySet<string> = new Set();

/**
 * Merges new fields into the saved ones: an absent field stays, null clears it. Masked secrets
 * (`masked_<name>`) are ignored, so that a response can be changed and sent back.
 */
export function mergeConfigurations(
  provider: CatalogueProvider,
  saved: Configurations,
  input: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, unknown> {
  if (input === null) return {};
  const merged: Record<string, unknown> = { ...saved.open, ...saved.secret };
  if (input === undefined) return merged;
  const shown = new Set(provider.fields.filter(({ secret }) => secret).map(({ name }) => MASKED + name));
  const kinds = new Map(provider.fields.map(({ name, kind }) => [name, kind]));
  for (const [name, value] of Object.entries(input)) {
    if (shown.has(name)) continue;
    if (value === null) delete merged[name];
    else merged[name] = storedForm(kinds.get(name), value, saved.secret[name]);
  }
  return merged;
}

/**
 * Returns the stored form of a value: objects of `json` fields as text, and masked headers replaced
 * with their saved value.
 */
function storedForm(kind: ConfigurationField['kind'] | undefined, value: unknown, saved: unknown): unknown {
  if (kind === 'headers') return unmasked(value, saved);
  return kind === 'json' && isFields(value) ? JSON.stringify(value) : value;
}

/**
 * Replaces masked header values with the saved ones. Leaves values that are not objects as they
 * are; `configurationFaults` reports them.
 */
const unmasked = (input: unknown, saved: unknown): unknown =>
  isFields(input) && isFields(saved) ? unmaskedHeaders(input as Record<string, string>, saved) : input;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the path of a provider field in the request, for errors. */
export type PathOf = (field: string) => string;

/**
 * Returns all rules of the provider that `values` break. A field that is not in the catalogue is a
 * fault, since it could be a secret. `mapped` contains each `configurations.<field>` whose value is
 * in a secret manager.
 */
export function configurationFaults(
  provider: CatalogueProvider,
  values: Readonly<Record<string, unknown>>,
  pathOf: PathOf,
  mapped: ReadonlySet<string> = NONE,
): ErrorDetail[] {
  const fieldsByName = new Map(provider.fields.map((field) => [field.name, field]));
  const faults: ErrorDetail[] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = fieldsByName.get(name);
    if (field) faults.push(...fieldFaults(field, value, pathOf(name)));
    else faults.push({ path: pathOf(name), message: `is not a field of ${provider.id}` });
  }
  for (const field of provider.fields) {
    if (mapped.has(`configurations.${field.name}`)) continue;
    if (isRequired(field, values) && values[field.name] === undefined) {
      faults.push({ path: pathOf(field.name), message: 'is required' });
    }
  }
  return faults;
}

/** Throws `custom_host_refused` with the path of the first address that the policy refuses. */
export function assertAllowedAddresses(
  provider: CatalogueProvider,
  values: Readonly<Record<string, unknown>>,
  policy: AddressPolicy,
  pathOf: PathOf,
): void {
  for (const { name, kind } of provider.fields) {
    const value = values[name];
    if (kind === 'url' && value !== undefined) assertAllowedUrl(policy, value, pathOf(name));
  }
}

export function splitConfigurations(
  provider: CatalogueProvider,
  values: Readonly<Record<string, unknown>>,
): Configurations {
  const secrets = new Set(provider.fields.filter(({ secret }) => secret).map(({ name }) => name));
  const entries = Object.entries(values);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !secrets.has(name))),
    secret: Object.fromEntries(entries.filter(([name]) => secrets.has(name))),
  };
}

/**
 * Returns the secrets, and the address fields that decide where the secrets are sent, by request
 * path. Each header counts as a separate secret.
 */
export function boundSecrets(
  provider: CatalogueProvider,
  { open, secret }: Configurations,
  apiKey: string | undefined,
  pathOf: PathOf,
): BoundSecrets {
  const addresses = provider.fields.filter(decidesDestination).map(({ name }) => [pathOf(name), open[name]]);
  const secrets = Object.entries(secret).flatMap(([name, value]) => pathsOf(pathOf(name), value));
  return {
    addresses: Object.fromEntries(addresses) as Record<string, unknown>,
    secrets: Object.fromEntries([...(apiKey === undefined ? [] : [['key', apiKey]]), ...secrets]) as Record<
      string,
      unknown
    >,
  };
}

/**
 * Returns the paths of the set fields that can direct a secret to a destination of the caller's
 * choice.
 */
export const chosenDestinations = (
  provider: CatalogueProvider,
  values: Readonly<Record<string, unknown>>,
  pathOf: PathOf,
): string[] =>
  provider.fields
    .filter(choosesDestination)
    .flatMap(({ name }) => ((values[name] ?? null) === null ? [] : [pathOf(name)]));

/** Returns the paths of the secrets that a request contains in clear text. */
export function givenSecrets(
  input: Readonly<Record<string, unknown>> | null | undefined,
  pathOf: PathOf,
): string[] {
  return Object.entries(input ?? {}).flatMap(([name, value]) =>
    pathsOf(pathOf(name), value).flatMap(([path, text]) => (isMaskedHeader(text) ? [] : [path])),
  );
}

/**
 * Returns the path and value of each secret in a field: a string is one secret, and each header of
 * a header map is one.
 */
function pathsOf(path: string, value: unknown): [string, unknown][] {
  if (typeof value === 'string') return [[path, value]];
  if (!isFields(value)) return [];
  return Object.entries(value).map(([header, text]) => [`${path}.${header}`, text]);
}

/**
 * Returns the fields as a response shows them: a secret string is renamed to `masked_<name>`,
 * headers keep their names.
 */
export const shownConfigurations = (
  open: Readonly<Record<string, unknown>>,
  masked: Readonly<Record<string, unknown>>,
): Record<string, unknown> => ({
  ...open,
  ...Object.fromEntries(
    Object.entries(masked).map(([name, value]) => [typeof value === 'string' ? MASKED + name : name, value]),
  ),
});

function isRequired({ required }: ConfigurationField, values: Readonly<Record<string, unknown>>): boolean {
  if (typeof required === 'boolean') return required;
  const other = values[required.field];
  return typeof other === 'string' && required.oneOf.includes(other);
}

function fieldFaults(field: ConfigurationField, value: unknown, path: string): ErrorDetail[] {
  const shortened = field.secret ? shortenedFault(value) : null;
  if (shortened !== null) return [{ path, message: shortened }];
  switch (field.kind) {
    case 'text':
    case 'label':
    case 'segment':
      return headerTextFaults(field, value, path);
    case 'url':
      return []; // `assertAllowedAddresses` checks values of any type.
    case 'boolean':
      return typeof value === 'boolean' ? [] : [{ path, message: 'must be true or false' }];
    case 'headers':
      return headerMapFaults(value, path);
    case 'json':
      return jsonFaults(value, path);
    case 'azure_deployments':
      return deploymentFaults(value, path);
    default:
      field.kind satisfies never;
      return [];
  }
}

const JSON_LENGTH_MAX = 16_384;

/**
 * Checks the JSON text of an object; `mergeConfigurations` has already turned objects into text.
 */
function jsonFaults(value: unknown, path: string): ErrorDetail[] {
  if (typeof value !== 'string' || !isObjectText(value))
    return [{ path, message: 'must be an object, or its JSON text' }];
  return value.length > JSON_LENGTH_MAX
    ? [{ path, message: `must have at most ${String(JSON_LENGTH_MAX)} characters` }]
    : [];
}

function isObjectText(text: string): boolean {
  try {
    return isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Checks a string that is sent in a header. */
const headerTextFaults = (field: ConfigurationField, value: unknown, path: string): ErrorDetail[] =>
  typeof value === 'string' && !isHeaderValue(value)
    ? [
        {
          path,
          message:
            'must not contain line breaks, control characters or other characters that a header cannot carry',
        },
      ]
    : textFaults(field, value, path);

function textFaults(field: ConfigurationField, value: unknown, path: string): ErrorDetail[] {
  const max = field.maxLength ?? TEXT_LENGTH_MAX;
  if (typeof value !== 'string' || value === '') return [{ path, message: 'must be a non-empty string' }];
  if (value.length > max) return [{ path, message: `must have at most ${String(max)} characters` }];
  if (field.kind === 'label' && !LABEL.test(value)) {
    return [{ path, message: 'must be a single label of a host name' }];
  }
  if (field.kind === 'segment' && !SEGMENT.test(value)) {
    return [{ path, message: 'must be letters, digits, hyphens and underscores' }];
  }
  if (field.values && !field.values.includes(value)) {
    return [{ path, message: `must be one of ${field.values.join(', ')}` }];
  }
  return [];
}

const DEPLOYMENT_TEXTS: readonly (readonly [name: string, max: number, required: boolean])[] = [
  ['alias', 255, false],
  ['azure_api_version', 30, true],
  ['azure_deployment_name', 255, true],
  ['azure_model_slug', 255, false],
];

function deploymentFaults(value: unknown, path: string): ErrorDetail[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > DEPLOYMENTS_MAX) {
    return [{ path, message: `must be a list of 1 to ${String(DEPLOYMENTS_MAX)} deployments` }];
  }
  return value.flatMap((item: unknown, i) => deploymentFaultsOf(item, `${path}.${String(i)}`));
}

function deploymentFaultsOf(item: unknown, path: string): ErrorDetail[] {
  if (!isFields(item)) return [{ path, message: 'must be an object' }];
  const values = item;
  const faults = DEPLOYMENT_TEXTS.flatMap(([name, maxLength, required]): ErrorDetail[] => {
    const memberPath = `${path}.${name}`;
    if (values[name] === undefined) return required ? [{ path: memberPath, message: 'is required' }] : [];
    return textFaults({ name, kind: 'text', secret: false, required, maxLength }, values[name], memberPath);
  });
  if (!['undefined', 'boolean'].includes(typeof values['is_default'])) {
    faults.push({ path: `${path}.is_default`, message: 'must be true or false' });
  }
  const knownMembers = new Set(['is_default', ...DEPLOYMENT_TEXTS.map(([name]) => name)]);
  for (const name of Object.keys(values)) {
    if (!knownMembers.has(name))
      faults.push({ path: `${path}.${name}`, message: 'is not a field of a deployment' });
  }
  return faults;
}
