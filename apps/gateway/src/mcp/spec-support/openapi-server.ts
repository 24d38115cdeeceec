import { randomUUID } from 'node:crypto';
import { mcpAuthBinding, type McpAuthContent, type McpServerDocument } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { METHODS, openApiTools, type OpenApiSelection } from '@gw/mcp';
import { STUB_IDENTITY, type RestService, type StubTokenServices } from '@gw/testing';
import { ORGANISATION_ID, WORKSPACE_ID, type GatewayHarness } from '../../spec-support/harness';

/**
 * Returns the document that the control plane writes for a service, with all operations approved.
 */
export function openApiServer(
  { url, spec }: Pick<RestService, 'url' | 'spec'>,
  slug: string,
  over: Partial<McpServerDocument> = {},
  selection: OpenApiSelection = { include: { methods: METHODS } },
): McpServerDocument {
  const { tools } = openApiTools(spec, selection);
  return {
    ...{ kind: 'mcp_server', version: randomUUID(), id: randomUUID(), slug, name: slug },
    ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID },
    ...{ integrationId: randomUUID(), integrationSlug: slug, integrationKind: 'openapi' },
    ...{ url: url.href, transport: 'http', authType: 'none', configurations: {} },
    ...{ sealedAuth: null, timeoutMs: null },
    server: {
      name: 'Pets',
      version: '1.0.0',
      title: 'Pets',
      instructions: null,
      capabilities: { tools: {} },
    },
    capabilities: tools.map(({ name, definition, operation }) => ({
      ...{ id: randomUUID(), type: 'tool', name, definition, operation: { ...operation } },
    })),
    userAccess: { isAllowed: true, exceptions: {} },
    ...{ rules: [], defaultEffect: 'allow', guardrails: [], prices: null },
    ...over,
  };
}

/** Returns the server with headers as its credential. */
export function withHeaders(
  { master }: GatewayHarness,
  server: McpServerDocument,
  headers: Readonly<Record<string, string>>,
): McpServerDocument {
  return { ...server, authType: 'headers', sealedAuth: sealed(master, server, { headers }) };
}

/** Returns the server with tokens that a stub of a token service issues for the scope. */
export const withClientCredentials = (
  { master }: GatewayHarness,
  server: McpServerDocument,
  { origin }: Pick<StubTokenServices, 'origin'>,
  scope: string,
): McpServerDocument => ({
  ...{ ...server, authType: 'oauth_client_credentials' },
  configurations: {
    oauth_client_credentials: {
      ...{ token_endpoint: `${origin}/oauth`, client_id: STUB_IDENTITY.oauthClient, scope },
    },
  },
  sealedAuth: sealed(master, server, { clientSecret: STUB_IDENTITY.oauthSecret }),
});

/** Returns the server with an AWS key that signs each request. */
export const withAwsKey = ({ master }: GatewayHarness, server: McpServerDocument): McpServerDocument => ({
  ...{ ...server, authType: 'aws_sigv4' },
  configurations: {
    aws_sigv4: { access_key_id: 'AKIDEXAMPLE000000', region: 'eu-central-1', service: 'execute-api' },
  },
  sealedAuth: sealed(master, server, { secretAccessKey: 'wJalrXUtnFEMI' }),
});

const sealed = (
  master: GatewayHarness['master'],
  { organisationId, integrationId }: McpServerDocument,
  content: McpAuthContent,
): string =>
  seal(sealingKeyring(master), JSON.stringify(content), mcpAuthBinding(organisationId, integrationId));
