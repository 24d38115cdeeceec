import { isObject } from '@gw/kernel';
import { own, withUris, type InputRequest, type InputRequests, type JsonObject } from '@gw/mcp';
import type { ReceivedResult } from '@gw/mcp-client';
import type { McpRequest } from '../mcp-request';

/**
 * Returns the result that replaces a server's result for the client; null keeps it. `changed` is
 * the result after guardrails, or null. Under an aggregate address, resource URIs are replaced by
 * their shown form.
 */
export const shownInPlace = (
  { endpoint, view }: McpRequest,
  received: ReceivedResult,
  changed: JsonObject | null,
): JsonObject | null =>
  endpoint === view ? changed : withUris(changed ?? received.value, (uri) => endpoint.shownUri(view, uri));

/**
 * Returns a server's requests for input as the client receives them. Under an aggregate address,
 * questions to the user name the server.
 */
export const shownInput = ({ endpoint, view }: McpRequest, requests: InputRequests): InputRequests =>
  endpoint === view
    ? requests
    : Object.fromEntries(
        Object.entries(requests).map(([key, request]) => [key, withServerName(view.document.name, request)]),
      );

/**
 * Prefixes the server's name to an elicitation message. The request comes from the server and may
 * have any form.
 */
function withServerName(server: string, request: InputRequest): InputRequest {
  const params = isObject(request) ? own(request, 'params') : undefined;
  const message = isObject(params) ? own(params, 'message') : undefined;
  return typeof message === 'string' && request.method === 'elicitation/create'
    ? { ...request, params: { ...request.params, message: `${server}: ${message}` } }
    : request;
}
