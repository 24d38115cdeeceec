import type { IncomingHttpHeaders } from 'node:http';
import { decidesAddress, isProviderField } from '@gw/config-schema';
import { GATEWAY_HEADER_PREFIX } from '@gw/contracts';

/** `x-gw-azure-resource-name` to `azure_resource_name`; null for a header that is no field of a provider. */
function fieldOf(header: string): string | null {
  if (!header.startsWith(GATEWAY_HEADER_PREFIX)) return null;
  const field = header.slice(GATEWAY_HEADER_PREFIX.length).replaceAll('-', '_');
  return isProviderField(field) ? field : null;
}

/** The fields of a provider that a request brings as headers, as a target of a config has them; null: it brings none. */
export function providerFieldsOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> | null {
  let fields: Record<string, string> | null = null;
  for (const [header, value] of Object.entries(headers)) {
    const field = fieldOf(header);
    if (field !== null && value !== undefined) (fields ??= {})[field] = String(value);
  }
  return fields;
}

/** The first header that would decide where a provider is found; null: none does. */
export const addressHeaderOf = (headers: IncomingHttpHeaders): string | null =>
  Object.keys(headers).find((header) => {
    const field = fieldOf(header);
    return field !== null && decidesAddress(field);
  }) ?? null;
