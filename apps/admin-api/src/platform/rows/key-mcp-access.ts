import type { McpKeyAccess } from '@gw/contracts';
import type { StoredMcpAccess } from '@gw/entities';

/** Returns the restrictions of a key as gateways read them; null for none. */
export function mcpAccessOf(stored: StoredMcpAccess | null): McpKeyAccess | null {
  if (stored === null) return null;
  const { servers, tools, read_only: readOnly } = stored;
  return {
    ...(servers !== null && { servers }),
    ...(tools !== null && { tools }),
    ...(readOnly && { readOnly }),
  };
}
