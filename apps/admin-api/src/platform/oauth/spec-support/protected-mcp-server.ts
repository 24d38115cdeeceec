import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { TestAdminApi } from '../../../spec-support/admin-api';
import { PUBLIC_URL, RESOURCE, type OauthJourney } from './oauth-journey';

/** URL of the MCP server, below the resource of its tokens. */
export const MCP_URL = `${RESOURCE}/test-mcp`;

/**
 * An MCP server with one tool, which accepts tokens of the OAuth server under test, and the network
 * in which clients reach both.
 */
export class ProtectedMcpServer {
  /** `Authorization` header of each admitted request. */
  readonly admitted: string[] = [];

  constructor(
    private readonly api: TestAdminApi,
    private readonly journey: OauthJourney,
    private readonly serviceKey: () => string,
  ) {}

  /** The `fetch` function of a client: reaches only the OAuth server and the MCP server. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.origin !== PUBLIC_URL) throw new Error(`A client called ${request.url}.`);
    if (url.href === MCP_URL) return this.serve(request);
    const response = await this.api.call(request.method, url.pathname + url.search, {
      headers: Object.fromEntries(request.headers),
      ...(request.body === null ? {} : { body: await request.text() }),
    });
    const type = String(response.headers['content-type'] ?? 'application/json');
    const hasBody = ![204, 303, 304].includes(response.status);
    return new Response(hasBody ? response.text : null, {
      status: response.status,
      headers: { 'content-type': type },
    });
  };

  private async serve(request: Request): Promise<Response> {
    const authorization = request.headers.get('authorization') ?? '';
    const token = authorization.replace(/^Bearer /, '');
    const { body } = await this.journey.introspect(token, this.serviceKey());
    if (body['active'] !== true || body['aud'] !== RESOURCE) {
      const metadata = `${PUBLIC_URL}/.well-known/oauth-protected-resource/v1`;
      const challenge = `Bearer resource_metadata="${metadata}", scope="completions.write"`;
      return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
    }
    this.admitted.push(authorization);
    const server = new McpServer({ name: 'protected', version: '1.0.0' });
    server.registerTool('caller', { description: 'Names the caller.' }, () => ({
      content: [{ type: 'text', text: String(body['email']) }],
    }));
    // There are no sessions: each request has a new server.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    return transport.handleRequest(request);
  }
}
