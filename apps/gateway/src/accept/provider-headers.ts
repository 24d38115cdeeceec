import type { IncomingHttpHeaders } from 'node:http';
import { decidesAddress, isProviderField } from '@gw/config-schema';
import { GATEWAY_HEADER_PREFIX } from '@gw/contracts';

/**
 * Maps `x-gw-azure-resource-name` to `azure_resource_name`; null when the header does not name a
 * provider field.
 */
function fieldOf(header: string): string | null {
  if (!header.startsWith(GATEWAY_HEADER_PREFIX)) return null;
  const field = header.slice(GATEWAY_HEADER_PREFIX.length).replaceAll('-', '_');
  return isProviderField(field) ? field : null;
}

/**
 * Returns the provider fields that the request sends as headers, in the form of a config target;
 * null when there are none.
 */
export function providerFieldsOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> | null {
  let fields: Record<string, string> | null = null;
  for (const [header, value] of Object.entries(headers)) {
    const field = fieldOf(header);
    if (field !== null && value !== undefined) (fields ??= {})[field] = String(value);
  }
  return fields;
}

/** The first header that would change the provider's address; null when there is none. */
export const addressHeaderOf = (headers: IncomingHttpHeaders): string | null =>
  Object.keys(headers).find((header) => {
    const field = fieldOf(header);
    return field !== null && decidesAddress(field);
  }) ?? null;
