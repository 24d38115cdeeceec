import { withExactNumbers } from '@gw/kernel';
import { own } from '@gw/mcp';
import type { EndpointRequest } from './mcp-request';

const NOT_STORED = '[not stored]';

/**
 * Replaces the user's input in the body of a request that continues an earlier one, because the log
 * stores the body and must not store what users enter.
 */
export function hideInput({
  context,
  message: { id, method, params },
  numbers,
}: Pick<EndpointRequest, 'context' | 'message' | 'numbers'>): void {
  if (own(params, 'inputResponses') === undefined) return;
  const shown = { jsonrpc: '2.0', id, method, params: { ...params, inputResponses: NOT_STORED } };
  context.replaceBytes(Buffer.from(withExactNumbers(shown, numbers)));
}
