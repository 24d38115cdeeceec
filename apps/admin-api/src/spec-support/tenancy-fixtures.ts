import {
  OrganisationDomainEntity,
  RepricingEntity,
  ScimGroupEntity,
  ScimWorkspaceMappingEntity,
  UsageLimitPolicyValueEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, insertVerdicts, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import type { TestAdminApi } from './admin-api';
import { insertAgentIntegration, insertAgentServer } from './agent-servers';
import { insertCapability, insertMcpApproval, insertMcpIntegration, insertMcpServer } from './mcp-servers';
import { connectionFields } from './sso-connections';
import { trustFields } from './trusts';

/**
 * A workspace as the target of a call. Everything created in it contains `mark`, which no response
 * to another tenant may contain.
 */
export interface Place {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Keys of the organisation and the workspace with all scopes they may hold. */
  readonly adminKey: string;
  readonly key: string;
  readonly mark: string;
  /** Mark of resources that belong to the organisation and to no workspace. */
  readonly organisationMark: string;
}

export interface Fixture {
  readonly id: string;
  readonly slug?: string;
  readonly versionId?: string;
  /** Id of a value that a policy counts separately. */
  readonly entityId?: string;
  readonly name?: string;
  readonly mcpServerId?: string;
}

interface Made {
  readonly id: string;
  readonly slug?: string;
  readonly version_id?: string;
  readonly data?: { readonly slug: string };
}

type Maker = (admin: TestAdminApi, place: Place) => Promise<Fixture>;

async function make(admin: TestAdminApi, key: string, path: string, body: object): Promise<Fixture> {
  const response = await admin.post<Made>(path, { key, body });
  if (response.status !== 200)
    throw new Error(`POST ${path} answered ${String(response.status)}: ${response.text}`);
  const { id, slug, version_id: versionId } = response.body;
  return { id, ...(slug === undefined ? {} : { slug }), ...(versionId === undefined ? {} : { versionId }) };
}

let count = 0;
const named = (mark: string): string => `${mark}-${String((count += 1))}`;

const inWorkspace =
  (path: string, body: object): Maker =>
  (admin, { key, mark }) =>
    make(admin, key, path, { name: named(mark), ...body });

const inOrganisation =
  (path: string, body: object): Maker =>
  (admin, { adminKey, organisationMark }) =>
    make(admin, adminKey, path, { name: named(organisationMark), ...body });

const policy = (kind: string, body: object): Maker =>
  inWorkspace(`/v1/policies/${kind}`, {
    conditions: [{ key: 'metadata.team', value: ['a'] }],
    group_by: [{ key: 'api_key' }],
    ...body,
  });

const ACCOUNT = { ai_provider_id: 'openai', key: 'sk-0123456789abcdef' };

/** Body of an integration with a card in the request, which needs no running agent. */
export const AGENT = {
  url: 'https://agent.example.com',
  agent_card: {
    name: 'Agent',
    description: 'Helps.',
    url: 'https://agent.example.com/rpc',
    version: '1.0.0',
    skills: [{ id: 'read', name: 'Read', description: 'Reads.', tags: ['read'] }],
  },
};

export const MCP_SERVER = { url: 'https://mcp.example.com/mcp', auth_type: 'none', transport: 'http' };

/** An OpenAPI document with one operation. */
export const OPENAPI = {
  ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1.0.0' } },
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: { '/pets': { get: { operationId: 'listPets', summary: 'Lists pets.' } } },
};

const log: Maker = async (admin, { organisationId, workspaceId, mark }) => {
  const record = { ...sampleLogRecord(), organisationId, workspaceId, metadata: { team: mark } };
  await ensureLogPartitions(admin.dataSource, [dayOf(new Date(record.createdAt))]);
  await insertLogs(admin.dataSource.manager, [
    {
      row: requestLogRow(record),
      request: Buffer.from(JSON.stringify({ text: mark })),
      response: Buffer.from(JSON.stringify({ text: mark })),
    },
  ]);
  return { id: record.id };
};

const virtualKey: Maker = async (admin, { key, mark }) => {
  const body = { name: named(mark), provider: 'openai', key: ACCOUNT.key };
  const response = await admin.post<Made>('/v1/virtual-keys', { key, body });
  return { id: response.body.data?.slug ?? '' };
};

const mcpServer: Maker = async (admin, place) => {
  const { manager } = admin.dataSource;
  // The whole organisation sees the integration, so it has no mark of the workspace.
  const { id: integrationId } = await insertMcpIntegration(manager, place);
  await insertCapability(manager, integrationId, 'read');
  const { id, slug } = await insertMcpServer(manager, place, integrationId, { name: named(place.mark) });
  return { id, slug };
};

const agentServer: Maker = async (admin, place) => {
  const { manager } = admin.dataSource;
  // The whole organisation sees the integration, so it has no mark of the workspace.
  const { id: integrationId } = await insertAgentIntegration(manager, place);
  const { id, slug } = await insertAgentServer(manager, place, integrationId, { name: named(place.mark) });
  return { id, slug };
};

/** Creates a server at which users sign in individually. */
const signInServer: Maker = async (admin, place) => {
  const { manager } = admin.dataSource;
  const fields = { authType: 'oauth_auto' } as const;
  const { id } = await insertMcpIntegration(manager, place, fields);
  return insertMcpServer(manager, place, id, { name: named(place.mark), slug: named(place.mark) });
};

const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'], operator: 'any' } }];

/**
 * Creates the targets of calls. A target is created again after a call that may have changed it.
 */
export const MAKERS = {
  alertWebhook: inWorkspace('/v1/alert-webhooks', { url: 'https://hooks.example.com/a' }),
  apiKey: inWorkspace('/v1/api-keys/workspace/service', { scopes: ['completions.write'] }),
  collection: inWorkspace('/v1/collections', {}),
  config: async (admin, place) => {
    const name = named(place.mark);
    return { ...(await make(admin, place.key, '/v1/configs', { name, config: { provider: '@x' } })), name };
  },
  guardrail: inWorkspace('/v1/guardrails', { checks: CHECKS }),
  toolGuardrail: async (admin, place) => {
    const made = await inWorkspace('/v1/guardrails', { checks: CHECKS, target: 'mcp_tools' })(admin, place);
    return { ...made, mcpServerId: (await mcpServer(admin, place)).id };
  },
  // Inserts a verdict for a log record with the guardrail's own id.
  judgingGuardrail: async (admin, place) => {
    const made = await inWorkspace('/v1/guardrails', { checks: CHECKS })(admin, place);
    const now = new Date();
    await ensureLogPartitions(admin.dataSource, [dayOf(now)]);
    await insertVerdicts(admin.dataSource.manager, [
      {
        log_id: made.id,
        created_at: now.toISOString(),
        place: 0,
        organisation_id: place.organisationId,
        workspace_id: place.workspaceId,
        user_id: null,
        guardrail: made.slug ?? '',
        version_id: null,
        check_id: place.mark,
        stage: 'input',
        verdict: 'failed',
        denied: true,
        duration_ms: 1,
      },
    ]);
    return made;
  },
  deployment: inOrganisation('/v1/deployments', {}),
  integration: inWorkspace('/v1/integrations', ACCOUNT),
  organisationIntegration: inOrganisation('/v1/integrations', ACCOUNT),
  agentIntegration: inWorkspace('/v1/agent-integrations', AGENT),
  organisationAgentIntegration: inOrganisation('/v1/agent-integrations', AGENT),
  agentServer,
  agentUpstream: async (admin, place) => {
    const { workspaceId, mark } = place;
    const fields = { name: named(mark), workspaceId };
    return { id: (await insertAgentIntegration(admin.dataSource.manager, place, fields)).id };
  },
  mcpIntegration: inWorkspace('/v1/mcp-integrations', MCP_SERVER),
  openApiIntegration: inWorkspace('/v1/mcp-integrations/from-openapi', {
    ...{ auth_type: 'none', openapi: { spec: OPENAPI } },
  }),
  organisationMcpIntegration: inOrganisation('/v1/mcp-integrations', MCP_SERVER),
  invite: (admin, { adminKey, organisationMark }) => {
    const email = `${named(organisationMark)}@example.com`;
    return make(admin, adminKey, '/v1/users/invites', { email, role: 'member', workspaces: [] });
  },
  label: inWorkspace('/v1/labels', {}),
  mcpApproval: async (admin, place) => {
    const { id: serverId } = await mcpServer(admin, place);
    return insertMcpApproval(admin.dataSource.manager, place, serverId, { tool: place.mark });
  },
  mcpServer,
  mcpToolset: async (admin, place) => {
    const { slug: server } = await mcpServer(admin, place);
    return inWorkspace('/v1/mcp-toolsets', { members: [{ server }] })(admin, place);
  },
  mcpUpstream: async (admin, place) => {
    const { workspaceId, mark } = place;
    const fields = { name: named(mark), workspaceId };
    return { id: (await insertMcpIntegration(admin.dataSource.manager, place, fields)).id };
  },
  log,
  feedback: async (admin, { key, mark }) => {
    const body = { trace_id: mark, value: 1 };
    const response = await admin.post<{ feedback_ids: string[] }>('/v1/feedback', { key, body });
    return { id: response.body.feedback_ids[0] ?? '' };
  },
  logExport: async (admin, { key, mark }) =>
    make(admin, key, '/v1/logs/exports', {
      description: named(mark),
      filters: { trace_id: mark },
      requested_data: ['id'],
    }),
  member: (admin, { organisationId, workspaceId }) =>
    admin.user(organisationId, 'member', { [workspaceId]: 'member' }),
  partial: inWorkspace('/v1/prompts/partials', { string: 'a' }),
  // An organisation has one account per partner, so each fixture uses another partner.
  plugin: async (admin, { adminKey, organisationMark }) => {
    const { id } = await make(admin, adminKey, '/v1/plugins', {
      plugin_provider_id: named(organisationMark).toLowerCase(),
      credentials: { apiKey: 'secret' },
    });
    return { id };
  },
  prompt: async (admin, place) => {
    const { id } = await make(admin, place.key, '/v1/collections', { name: named(place.mark) });
    const { id: account } = await virtualKey(admin, place);
    const body = { string: 'a', parameters: {}, collection_id: id, virtual_key: account };
    return inWorkspace('/v1/prompts', body)(admin, place);
  },
  provider: async (admin, place) => {
    const integration = await make(admin, place.key, '/v1/integrations', {
      name: named(place.mark),
      ...ACCOUNT,
    });
    return make(admin, place.key, '/v1/providers', {
      name: named(place.mark),
      integration_id: integration.id,
    });
  },
  rateLimit: policy('rate-limits', { type: 'requests', unit: 'rpm', value: 5 }),
  repricing: async (admin, { organisationId }) => {
    const id = uuidv7();
    const times = { startTime: new Date(1), endTime: new Date(2), report: { seen: 0, groups: [] } };
    const { manager } = admin.dataSource;
    // Few repricings of an organisation can be open at the same time.
    await manager.update(RepricingEntity, { organisationId, status: 'applying' }, { status: 'applied' });
    await manager.insert(RepricingEntity, {
      ...{ id, organisationId, status: 'previewed', ...times },
    });
    return { id };
  },
  ssoConnection: (admin, { adminKey, organisationMark }) =>
    make(
      admin,
      adminKey,
      '/v1/admin/organisation/sso-connections',
      connectionFields(named(organisationMark)),
    ),
  trust: (admin, { adminKey, organisationMark }) =>
    make(admin, adminKey, '/v1/trusts', trustFields(named(organisationMark).toLowerCase())),
  oauthClient: (admin, { adminKey, organisationMark }) =>
    make(admin, adminKey, '/v1/admin/organisation/oauth-clients', {
      name: named(organisationMark),
      redirect_uris: ['https://app.example.com/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
    }),
  domain: async (admin, { organisationId, organisationMark }) => {
    const id = uuidv7();
    const domain = `${named(organisationMark).toLowerCase()}.example`;
    await admin.dataSource.manager.insert(OrganisationDomainEntity, {
      id,
      organisationId,
      domain,
      token: 'x',
    });
    return { id };
  },
  scimMapping: async (admin, { organisationId, workspaceId, organisationMark }) => {
    const [id, groupId, displayName] = [uuidv7(), uuidv7(), named(organisationMark)];
    const group = { id: groupId, organisationId, displayName, displayNameKey: displayName.toLowerCase() };
    await admin.dataSource.manager.insert(ScimGroupEntity, group);
    const mapping = { id, organisationId, groupId, workspaceId, role: 'member' as const };
    await admin.dataSource.manager.insert(ScimWorkspaceMappingEntity, mapping);
    return { id };
  },
  secretReference: inOrganisation('/v1/secret-references', {
    manager_type: 'cloud1_sm',
    auth_config: { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' },
    secret_path: 'a/b',
  }),
  traceSpan: async (admin, { key, mark }) => {
    const id = uuidv7();
    const span = {
      ...{ traceId: id.replaceAll('-', ''), spanId: 'b7ad6b7169203331', name: mark },
      ...{ startTimeUnixNano: '1770000000000000000', endTimeUnixNano: '1770000000000000001' },
    };
    await admin.post('/v1/otel/v1/traces', {
      key,
      body: { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
    });
    return { id };
  },
  usageLimit: async (admin, place) => {
    const made = await policy('usage-limits', { type: 'cost', credit_limit: 5 })(admin, place);
    const value = { id: uuidv7(), policyId: made.id, valueKey: `api_key:${place.mark}` };
    await admin.dataSource.manager.insert(UsageLimitPolicyValueEntity, value);
    return { ...made, entityId: value.id };
  },
  signInServer,
  user: (admin, { organisationId }) => admin.user(organisationId, 'member'),
  virtualKey,
} as const satisfies Record<string, Maker>;

export type Kind = keyof typeof MAKERS;

/** Stores the last fixture of each kind in each place. */
export class Fixtures {
  private readonly made = new Map<string, Promise<Fixture>>();

  constructor(private readonly admin: TestAdminApi) {}

  of(kind: Kind, place: Place): Promise<Fixture> {
    const name = `${kind} ${place.workspaceId}`;
    const known = this.made.get(name);
    if (known) return known;
    const made = MAKERS[kind](this.admin, place);
    this.made.set(name, made);
    return made;
  }

  /** Discards a fixture after a call that may have changed it. */
  forget(kind: Kind, place: Place): void {
    this.made.delete(`${kind} ${place.workspaceId}`);
  }
}

/** Returns a fixture whose ids, in every format, belong to no row. */
export const unknownFixture = (): Fixture => ({
  id: uuidv7(),
  versionId: uuidv7(),
  name: 'nothing-of-this-name',
});

/** Returns a documented path with the ids of a fixture, except the workspace id. */
export const withIds = (path: string, fixture: Fixture, isBySlug: boolean): string =>
  path
    .replace('{type}/{subType}', 'workspace/service')
    .replace('{version}', fixture.versionId ?? '1')
    .replace('{entity}', fixture.entityId ?? fixture.id)
    .replace('{mcpServer}', fixture.mcpServerId ?? uuidv7())
    .replace('{name}', fixture.name ?? 'x')
    .replace('{slug}', fixture.slug ?? fixture.id)
    .replaceAll(/\{(?!workspaceId)[^}]+\}/g, (isBySlug ? fixture.slug : null) ?? fixture.id);
