import type { StoredMcpAccess } from '@gw/entities';
import { validationFailed } from '@gw/web';
import type { KeyMcpDto } from './api-keys.dto';

const TOOL = /^[^/]+\/./;

/**
 * Returns the restrictions of a key in stored form; null when nothing is restricted. Throws
 * `validation_failed` with all names of tools that name no server.
 */
export function toStoredMcp(input: KeyMcpDto | null): StoredMcpAccess | null {
  const { servers = null, tools = null, read_only: readOnly = false } = input ?? {};
  const faults = (tools ?? []).flatMap((tool, at) =>
    TOOL.test(tool)
      ? []
      : [{ path: `mcp.tools.${String(at)}`, message: 'must be <server>/<tool>, or <server>/* for all' }],
  );
  if (faults.length > 0) throw validationFailed(faults);
  if (servers === null && tools === null && !readOnly) return null;
  return { servers, tools, read_only: readOnly };
}
