import type { ConfigurationField } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { textField } from '../fields';
import { AWS_FIELDS } from '../identity/aws';
import type { Credential } from '../provider';
import type { ProviderRow } from './row';

/** Name of the setting that selects one of a row's regions. */
export const REGION = 'provider_region';

/** A label of a host name (RFC 1123). */
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const SEGMENT = /^[A-Za-z0-9_-]{1,128}$/;
/** A model in the path of a base URL. */
const MODEL = /^(?!\.+$)[A-Za-z0-9._-]{1,256}$/;
const MODEL_NAME = 'model';

const PLACEHOLDER = /\{([a-z_]{1,64})(?:\|([^{}|]{0,64}))?\}/g;

type Place = 'label' | 'segment' | 'text';

/** Splits a base URL into the part up to the path, whose settings are labels, and the path. */
function partsOf(base: string): readonly [host: string, path: string] {
  const slash = base.indexOf('/', base.indexOf('://') + 3);
  return slash === -1 ? [base, ''] : [base.slice(0, slash), base.slice(slash)];
}

/**
 * Returns the base URL with its settings filled in. Throws `validation_failed` that names the first
 * setting that is missing, or that could choose another host or path.
 */
export function filledBase(base: string, credential: Credential, model: string | null): string {
  // Most bases have no settings, and each call needs its base.
  if (!base.includes('{')) return base;
  const [host, path] = partsOf(base);
  const fill = (text: string, place: Place): string =>
    text.replaceAll(PLACEHOLDER, (_, name: string) =>
      name === MODEL_NAME ? checkedModel(model) : checkedSetting(name, credential, place),
    );
  return fill(host, 'label') + fill(path, 'segment');
}

function checkedSetting(name: string, { configurations }: Credential, place: Place): string {
  const value = configurations[name];
  const isLabel = place === 'label';
  if (typeof value === 'string' && (isLabel ? LABEL : SEGMENT).test(value)) return value;
  const rule = isLabel
    ? 'one label of a host name: letters, digits and hyphens'
    : 'one path segment of letters, digits, hyphens and underscores';
  throw new GatewayError('validation_failed', {
    param: name,
    message: `${name} must be ${rule}; it is part of the provider's address.`,
  });
}

function checkedModel(model: string | null): string {
  if (model !== null && MODEL.test(model)) return model;
  throw new GatewayError('validation_failed', {
    param: MODEL_NAME,
    message:
      'model must be one path segment of letters, digits, dots, hyphens and underscores; it is part of the address.',
  });
}

/**
 * Returns the text with its settings, or null when one of them has neither a value nor a default.
 */
export function filledText(text: string, { configurations }: Credential): string | null {
  let isComplete = true;
  const filled = text.replaceAll(PLACEHOLDER, (_, name: string, byDefault?: string) => {
    const value = configurations[name];
    if (typeof value === 'string' && value !== '') return value;
    if (byDefault === undefined) isComplete = false;
    return byDefault ?? '';
  });
  return isComplete ? filled : null;
}

/**
 * Returns the name of the region that the integration selects; null for none. Throws
 * `validation_failed` for an unknown one.
 */
export function regionOf({ regions }: Pick<ProviderRow, 'regions'>, credential: Credential): string | null {
  const name = credential.configurations[REGION];
  if (regions === undefined || name === undefined || name === '') return null;
  if (typeof name === 'string' && Object.hasOwn(regions, name)) return name;
  throw new GatewayError('validation_failed', {
    param: REGION,
    message: `${REGION} must be one of ${Object.keys(regions).join(', ')}.`,
  });
}

/** Returns the field of an integration that selects one of the regions. */
export const regionField = (regions: NonNullable<ProviderRow['regions']>): ConfigurationField =>
  textField(REGION, { values: Object.keys(regions), isAddress: true });

/** Returns the fields of an integration that a row's addresses, headers and query name. */
export function fieldsOf(row: ProviderRow): readonly ConfigurationField[] {
  const fields = new Map<string, ConfigurationField>();
  const add = (text: string, place: Place): void => {
    for (const [, name = ''] of text.matchAll(PLACEHOLDER))
      if (name !== MODEL_NAME && !fields.has(name)) fields.set(name, fieldOf(row, name, place));
  };
  const bases = [row.base ?? '', row.messages ?? '', ...Object.values(row.bases ?? {})];
  for (const base of bases) {
    const [host, path] = partsOf(base);
    add(host, 'label');
    add(path, 'segment');
  }
  for (const text of [...Object.values(row.headers ?? {}), ...Object.values(row.query ?? {})])
    add(text, 'text');
  if (row.regions !== undefined) fields.set(REGION, regionField(row.regions));
  if (row.awsService !== undefined) for (const field of AWS_FIELDS) fields.set(field.name, field);
  return [...fields.values()];
}

function fieldOf({ values }: ProviderRow, name: string, place: Place): ConfigurationField {
  if (place === 'label') return textField(name, { kind: 'label', required: true, maxLength: 63 });
  if (place === 'segment') return textField(name, { kind: 'segment', required: true, maxLength: 128 });
  const allowed = values?.[name];
  return textField(name, {
    secret: name.endsWith('_token'),
    ...(allowed === undefined ? {} : { values: allowed }),
  });
}
