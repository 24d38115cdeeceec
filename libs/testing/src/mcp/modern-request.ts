const REVISION = '2026-07-28';

/**
 * Returns a request of a 2026-07-28 client for `fetch`. `capabilities` are the declared client
 * capabilities; `meta` adds members to `_meta`.
 */
export function modernRequest(
  apiKey: string,
  method: string,
  params: { readonly name?: string; readonly uri?: string } & object,
  capabilities: object = {},
  meta: object = {},
): { method: 'POST'; headers: Record<string, string>; body: string } {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
  const about = params.name ?? params.uri;
  return {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'x-gw-api-key': apiKey, 'mcp-protocol-version': REVISION, 'mcp-method': method },
      ...(about !== undefined && { 'mcp-name': about }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}
