import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS, isHeaderValue, isMetadataHeader } from '@gw/kernel';
import type { ConfigNode, Path, Report, ValidateConfigOptions } from './report';
import { isProviderField } from './schema';

/** Provider fields that hold an address, and those that become a label of a host name. */
const ADDRESS_FIELD = /_(?:url|endpoint|host)$/;
const LABEL_FIELD = /_(?:region|resource_name|account_id)$/;
/** Provider fields that name an address in the provider's own words. */
const PLACE_FIELD = /_(?:account|workspace)$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** True for a field of a provider that is a whole address: its value names any host. */
export const holdsAddress = (field: string): boolean => ADDRESS_FIELD.test(field);

/** True for a field of a provider that says, in whole or in part, where the provider is found. */
export const decidesAddress = (field: string): boolean =>
  ADDRESS_FIELD.test(field) || LABEL_FIELD.test(field) || PLACE_FIELD.test(field);

/** Everything in a node that decides where a request is sent, or becomes a header of it. */
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

/** What is wrong with an address before any policy is applied. */
function addressFault(text: string): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (text.includes('#')) return 'must not contain a fragment';
  if (text.includes('?')) return 'must not contain a query';
  return null;
}

/** The gateway's own names that no config may forward: who calls, and what is forwarded. */
const OWN = new Set(['x-gw-api-key', 'x-gw-forward-headers']);

/** Framing is the gateway's, and the rest opens doors that are not the caller's; there are no wildcards. `name` in lower case. */
export const mayNotBeForwarded = (name: string): boolean =>
  name.includes('*') ||
  HOP_BY_HOP_HEADERS.has(name) ||
  FRAMING_HEADERS.has(name) ||
  OWN.has(name) ||
  isMetadataHeader(name);

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
