import { META, own, type JsonObject } from '@gw/mcp';
import type { CallOptions } from '@gw/mcp-client';
import type { McpRequest } from './mcp-request';

/**
 * Returns the log level of a call. A session that set no level receives messages from the level
 * `info` on.
 */
export function logLevel(
  { state }: McpRequest,
  meta: JsonObject,
): Pick<CallOptions, 'logLevel' | 'sessionLogLevel'> {
  if (state !== null)
    return {
      logLevel: state.logLevel ?? 'info',
      ...(state.logLevel !== null && { sessionLogLevel: state.logLevel }),
    };
  const level = own(meta, META.logLevel);
  return typeof level === 'string' ? { logLevel: level } : {};
}
