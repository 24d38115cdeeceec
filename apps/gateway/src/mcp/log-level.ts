import { META, own, type JsonObject } from '@gw/mcp';
import type { CallOptions } from '@gw/mcp-client';
import type { McpRequest } from './mcp-request';

/** A session that set no level gets messages of the level info. */
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
