import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS, isHeaderValue, isMetadataHeader } from '@gw/kernel';
import type { ConfigNode, Path, Report, ValidateConfigOptions } from './report';
import { isProviderField } from './schema';

/** Matches provider fields that contain a URL or a host. */
const ADDRESS_FIELD = /_(?:url|endpoint|host)$/;
/** Matches provider fields that become one label of a host name. */
const LABEL_FIELD = /_(?:region|resource_name|account_id)$/;
/**
 * Matches provider fields that name an account, workspace, gateway or tenant at the provider. They
 * are not checked here: the provider's adapter checks them when it builds the URL.
 */
const PLACE_FIELD = /_(?:account|workspace|gateway|tenant)$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Returns whether a provider field contains a whole address, so its value can name any host. */
export const holdsAddress = (field: string): boolean => ADDRESS_FIELD.test(field);

/** Returns whether a provider field decides, in whole or in part, where the provider is reached. */
export const decidesAddress = (field: string): boolean =>
  ADDRESS_FIELD.test(field) || LABEL_FIELD.test(field) || PLACE_FIELD.test(field);

/**
 * Checks everything in a node that decides where a request is sent, or becomes one of its headers.
 */
export function checkHosts(
  node: ConfigNode,
  path: Path,
  options: ValidateConfigOptions,
  report: Report,
): void {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'string') continue;
    checkText(key, value, [...path, key], options, report);
    if ((key === 'api_key' || isProviderField(key)) && !isHeaderValue(value)) {
      report([...path, key], 'header_value', 'must have no line breaks or control characters', value);
    }
  }
}

function checkText(
  key: string,
  value: string,
  path: Path,
  options: ValidateConfigOptions,
  report: Report,
): void {
  const isField = isProviderField(key);
  if (key === 'custom_host' || (isField && ADDRESS_FIELD.test(key))) {
    const reason = addressFault(value) ?? options.checkHost?.(value);
    if (reason) report(path, 'address', reason, value);
  } else if (isField && LABEL_FIELD.test(key) && !LABEL.test(value)) {
    report(path, 'label', 'must be one label of a host name', value);
  }
}

/** Returns what is wrong with an address regardless of any address policy, or null. */
function addressFault(text: string): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (text.includes('#')) return 'must not contain a fragment';
  if (text.includes('?')) return 'must not contain a query';
  return null;
}

/**
 * Headers of the gateway itself that a config must not forward. A gateway key in another header,
 * such as `authorization`, is recognised by its value and left out when the request is sent.
 */
const GATEWAY_HEADERS = new Set(['x-gw-api-key', 'x-gw-forward-headers']);

/**
 * Returns whether a header must not be forwarded: a wildcard, a framing header that the gateway
 * sets, or a header with meaning only for the gateway. `name` must be in lower case.
 */
export const mayNotBeForwarded = (name: string): boolean =>
  name.includes('*') ||
  HOP_BY_HOP_HEADERS.has(name) ||
  FRAMING_HEADERS.has(name) ||
  GATEWAY_HEADERS.has(name) ||
  isMetadataHeader(name);

/** Reports every entry of `forward_headers` that must not be forwarded. */
export function checkHeaders(node: ConfigNode, path: Path, report: Report): void {
  if (!Array.isArray(node['forward_headers'])) return;
  node['forward_headers'].forEach((name: unknown, index) => {
    if (typeof name !== 'string') return;
    const at = [...path, 'forward_headers', index];
    if (name.includes('*')) report(at, 'forbidden_header', 'is a wildcard; name each header', name);
    else if (mayNotBeForwarded(name.toLowerCase())) {
      report(at, 'forbidden_header', 'may not be forwarded', name);
    }
  });
}
