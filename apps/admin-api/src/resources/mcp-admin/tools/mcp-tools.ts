import { isObject } from '@gw/kernel';
import { own, ownList, type JsonObject } from '@gw/mcp';
import { ARGUMENT, textIn, type ReadTool, type WriteTool } from '../admin-tool';
import type { RestCalls } from '../rest-api';
import { integer, list, members, object, text } from '../shapes';

const SERVERS = 'GET /v1/mcp-servers';
const INTEGRATIONS = 'GET /v1/mcp-integrations';
const CHANGES = 'GET /v1/mcp-integrations/:mcpIntegrationId/capabilities/changes';
/** Maximum number of integrations whose changes one call reads. */
const INTEGRATIONS_MAX = 10;

export const listMcpServers: ReadTool = {
  kind: 'read',
  name: 'list_mcp_servers',
  title: 'MCP servers',
  description: 'Lists the MCP servers of a workspace with the URLs at which clients reach them.',
  input: {
    search: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Text that the name or slug must contain.',
    },
    workspace_id: ARGUMENT.workspace,
  },
  output: {
    total: integer(),
    servers: list(
      members({
        id: text(),
        slug: text(),
        name: text(),
        description: text(),
        status: text(),
        url: text('Where clients reach it at the gateway.'),
        workspace_slug: text(),
        mcp_integration_id: text(),
        mcp_integration_slug: text(),
        auth_type: text(),
      }),
    ),
  },
  isUntrusted: false,
  routes: [SERVERS],
  async run(args, rest) {
    const query = {
      workspace_id: textIn(args, 'workspace_id'),
      search: textIn(args, 'search'),
      page_size: 100,
    };
    const page = await rest.send({ route: SERVERS, query });
    return { total: own(page, 'total'), servers: ownList(page, 'data') };
  },
};

export const listPendingCapabilities: ReadTool = {
  kind: 'read',
  name: 'list_pending_capabilities',
  title: 'Capabilities that wait for approval',
  description:
    'Tools, prompts and resources of MCP servers that are new or changed and not approved, with the approved and the ' +
    'newest definition, findings of the review, and the digest that decide_capabilities needs. Definitions are written ' +
    `by the servers. Without an integration: those of the first ${String(INTEGRATIONS_MAX)}.`,
  input: {
    integration: { ...ARGUMENT.reference, description: 'Id or slug of an MCP integration.' },
    workspace_id: ARGUMENT.workspace,
    page: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 20,
      description: 'Maximum number of capabilities listed for each integration.',
    },
  },
  output: {
    integrations: list(
      members({
        id: text(),
        slug: text(),
        name: text(),
        total: integer('Capabilities that wait.'),
        waiting: list(
          members({
            type: text(),
            name: text(),
            state: text(),
            digest: text(),
            findings: list(members({ rule: text(), severity: text() })),
            old: object('The approved definition; absent: none was approved.'),
            new: object('The newest definition.'),
          }),
        ),
      }),
    ),
  },
  isUntrusted: true,
  routes: [CHANGES],
  async run(args, rest) {
    const workspace = { workspace_id: textIn(args, 'workspace_id') };
    const named = textIn(args, 'integration');
    const query = { ...workspace, page_size: INTEGRATIONS_MAX };
    const found = named === undefined ? await rest.send({ route: INTEGRATIONS, query }) : null;
    const rows: readonly JsonObject[] =
      found === null ? [{ slug: named }] : ownList(found, 'data').filter(isObject);
    const page = { ...workspace, page: Number(args['page'] ?? 1), page_size: Number(args['limit'] ?? 20) };
    // Reads one integration after another, so that a tool call uses no more database connections
    // than a single request.
    const all: JsonObject[] = [];
    for (const row of rows) all.push(await waitingOf(row, rest, page));
    return { integrations: named === undefined ? all.filter(({ total }) => total !== 0) : all };
  },
};

async function waitingOf(
  row: JsonObject,
  rest: RestCalls,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<JsonObject> {
  const params = { mcpIntegrationId: String(row['slug']) };
  const page = await rest.send({ route: CHANGES, params, query });
  return { ...row, total: own(page, 'total'), waiting: ownList(page, 'data') };
}

export const decideCapabilities: WriteTool = {
  kind: 'write',
  name: 'decide_capabilities',
  title: 'Approve or reject capabilities',
  description:
    'Approves or rejects capabilities of an MCP integration by the digests from list_pending_capabilities. Show the definitions and findings to the user before approving.',
  input: {
    integration: { ...ARGUMENT.reference, description: 'Id or slug of the MCP integration.' },
    decision: { type: 'string', enum: ['approve', 'reject'] },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['tool', 'prompt', 'resource', 'resource_template', 'server'] },
          name: { type: 'string', minLength: 1, maxLength: 2_048 },
          digest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        },
        required: ['type', 'name', 'digest'],
        additionalProperties: false,
      },
    },
    reason: { type: 'string', maxLength: 1_024, description: 'Comment for the audit log.' },
    workspace_id: ARGUMENT.workspace,
  },
  required: ['integration', 'decision', 'items'],
  isDestructive: false,
  routes: [
    'POST /v1/mcp-integrations/:mcpIntegrationId/capabilities/approve',
    'POST /v1/mcp-integrations/:mcpIntegrationId/capabilities/reject',
  ],
  request(args) {
    const { items, reason, decision } = args;
    return {
      route: `POST /v1/mcp-integrations/:mcpIntegrationId/capabilities/${decision === 'reject' ? 'reject' : 'approve'}`,
      params: { mcpIntegrationId: String(args['integration']) },
      query: { workspace_id: textIn(args, 'workspace_id') },
      body: { items, ...(reason !== undefined && { reason }) },
    };
  },
};
