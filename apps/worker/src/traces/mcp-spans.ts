import type { McpRecord } from '@gw/contracts';
import type { RequestLogRow } from '@gw/log-store';
import type { Values } from './attribute-values';

const NAME_MAX = 100;
const RESOURCES = /^resources\//;

/**
 * Returns the span name, `{method} {tool}`; null for a request that is not MCP. Resource URIs are
 * left out, because span names need few distinct values.
 */
export function mcpSpanName({
  mcp_method: method,
  mcp_capability: capability,
}: RequestLogRow): string | null {
  if (method === null) return null;
  return capability === null ? method : `${method} ${capability.slice(0, NAME_MAX)}`;
}

/**
 * Returns the error type for the status of the span; null for a success and for a request that is
 * not MCP.
 */
export function mcpError(row: RequestLogRow): string | null {
  return row.mcp_method === null ? null : errorType(row, recordOf(row));
}

/**
 * Returns the attributes of the semantic conventions for MCP; null for a request that is not MCP.
 */
export function mcpAttributes(row: RequestLogRow): Values | null {
  const { mcp_method: method, mcp_capability: capability, mcp_server: server } = row;
  if (method === null) return null;
  const record = recordOf(row);
  const { revision = null, requestId = null, session = null, name = null, errorCode } = record;
  const isTool = method === 'tools/call';
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': revision,
    'mcp.session.id': session,
    'mcp.resource.uri': RESOURCES.test(method) ? name : null,
    'gen_ai.operation.name': isTool ? 'execute_tool' : null,
    'gen_ai.tool.name': isTool ? capability : null,
    'gen_ai.prompt.name': isTool ? null : capability,
    'jsonrpc.request.id': requestId,
    'rpc.response.status_code': errorCode === undefined ? null : String(errorCode),
    'error.type': errorType(row, record),
    'network.transport': 'tcp',
    'tollgate.mcp.server': server,
    'tollgate.mcp.integration.id': row.integration_id,
  };
}

/**
 * Returns the error type. The conventions name it `tool_error` when the result reports that the
 * tool failed.
 */
const errorType = ({ error_type: type }: RequestLogRow, { isError, errorCode }: Recorded): string | null =>
  errorCode !== undefined ? String(errorCode) : isError === true ? 'tool_error' : type;

type Recorded = Partial<McpRecord>;

/** Records come from gateways of other versions, so any member may be missing. */
const recordOf = ({ decision }: RequestLogRow): Recorded => decision.mcp ?? {};
