import { isObject } from '@gw/kernel';
import { headerMapFaults } from '../credentials/header-map';
import { shortenedFault } from '../credentials/shown-secret';
import type { CheckContext, ConfigurationCheck, Faults } from './configuration-faults';
import { forwardedHeaderFault, sentHeaderFault } from './header-names';

const HEADERS_MAX = 64;

/** Checks the headers that the gateway sends with each request, with their values. */
export const checkHeaders: ConfigurationCheck = (value, path, faults, { protocolHeaders }) => {
  faults.found.push(...headerMapFaults(value, path));
  if (!isObject(value)) return;
  const seen = new Set<string>();
  for (const [name, text] of Object.entries(value)) {
    const headerPath = `${path}.${name.slice(0, 64)}`;
    faults.add(headerPath, sentHeaderFault(name, protocolHeaders));
    faults.add(headerPath, shortenedFault(text));
    if (typeof text === 'string' && text.includes('{{'))
      faults.add(headerPath, 'must not have placeholders; use user_identity_forwarding to send who calls');
    if (seen.has(name.toLowerCase())) faults.add(headerPath, 'is duplicated; send each header once');
    seen.add(name.toLowerCase());
  }
};

/** Checks the list of callers' headers that the gateway forwards. */
export const checkPassthrough: ConfigurationCheck = (value, path, faults, { protocolHeaders }) => {
  if (!Array.isArray(value) || value.length > HEADERS_MAX) {
    faults.add(path, `must be a list of at most ${String(HEADERS_MAX)} header names`);
    return;
  }
  for (const [index, name] of value.entries())
    faults.add(`${path}.${String(index)}`, forwardedHeaderFault(name, protocolHeaders));
};

const FORWARD_MODES = ['allowlist', 'all-except'];

/**
 * Checks which headers of callers the gateway forwards: a list of headers, or a mode with such a
 * list.
 */
export const checkForwarded: ConfigurationCheck = (value, path, faults, of) => {
  if (Array.isArray(value)) {
    checkForwarded({ mode: 'allowlist', headers: value }, path, faults, of);
    return;
  }
  if (!faults.object(value, path, ['mode', 'headers'])) return;
  const { mode, headers } = value as { readonly mode?: unknown; readonly headers?: unknown };
  if (!FORWARD_MODES.includes(String(mode))) faults.add(`${path}.mode`, 'must be allowlist or all-except');
  if (!Array.isArray(headers) || headers.length > HEADERS_MAX) {
    faults.add(`${path}.headers`, `must be a list of at most ${String(HEADERS_MAX)} headers`);
    return;
  }
  for (const [index, header] of headers.entries()) {
    const itemPath = `${path}.headers.${String(index)}`;
    if (mode === 'all-except') faults.add(itemPath, sentHeaderFault(header, of.protocolHeaders));
    else checkForwardedHeader(header, itemPath, faults, of);
  }
};

function checkForwardedHeader(
  header: unknown,
  path: string,
  faults: Faults,
  { protocolHeaders }: Pick<CheckContext, 'protocolHeaders'>,
): void {
  if (typeof header === 'string') faults.add(path, forwardedHeaderFault(header, protocolHeaders));
  else if (faults.object(header, path, ['from', 'to']))
    for (const name of ['from', 'to'])
      faults.add(`${path}.${name}`, forwardedHeaderFault(header[name], protocolHeaders));
}
