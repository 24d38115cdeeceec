import { isObject } from '@gw/kernel';
import { own, withUris, type InputRequest, type InputRequests, type JsonObject } from '@gw/mcp';
import type { ReceivedResult } from '@gw/mcp-client';
import type { McpRequest } from '../mcp-request';

/**
 * Replaces a result for the client; null keeps the result. `changed`: applied first. Under an
 * aggregate address, resource URIs become those of the gateway.
 */
export const shownInPlace = (
  { endpoint, view }: McpRequest,
  received: ReceivedResult,
  changed: JsonObject | null,
): JsonObject | null =>
  endpoint === view ? changed : withUris(changed ?? received.value, (uri) => endpoint.shownUri(view, uri));

/** Requests of a server for input; under an aggregate address, questions to the user name the server. */
export const shownInput = ({ endpoint, view }: McpRequest, requests: InputRequests): InputRequests =>
  endpoint === view
    ? requests
    : Object.fromEntries(
        Object.entries(requests).map(([key, request]) => [key, named(view.document.name, request)]),
      );

/** The requests come from the server and may have any form. */
function named(server: string, request: InputRequest): InputRequest {
  const params = isObject(request) ? own(request, 'params') : undefined;
  const message = isObject(params) ? own(params, 'message') : undefined;
  return typeof message === 'string' && request.method === 'elicitation/create'
    ? { ...request, params: { ...request.params, message: `${server}: ${message}` } }
    : request;
}
