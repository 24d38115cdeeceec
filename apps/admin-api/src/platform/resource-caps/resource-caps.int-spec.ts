import { ALL_OPEN } from '@gw/auth-scopes';
import { ENTITIES, OrganisationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { Fixtures, withIds, type Fixture, type Kind, type Place } from '../../spec-support/tenancy-fixtures';
import { TENANCY_ROWS, type BodyParts } from '../../spec-support/tenancy-rows';
import { routesOf, type Route } from '../../spec-support/tenancy-expectations';
import { CAPPED_KINDS } from './capped-kinds';

/** Cap in this test, below the ten alert webhooks that a workspace may always have. */
const MAX = 9;
/**
 * Entities whose rows callers do not create singly, or that have another bound, with the reason.
 */
const NEED_NO_CAP: Readonly<Record<string, string>> = {
  InstallationEntity: 'one row',
  OrganisationEntity: 'one row, created by the set-up',
  UserEntity: 'each user of an organisation has one, and users are capped',
  WorkspaceUserEntity: 'one for each user and workspace, which are capped',
  SessionEntity: 'expires; old ones are deleted at the next login',
  PasswordResetEntity: 'one for each user',
  ApiKeySecretEntity: 'two for each API key: the current and the previous one',
  AuditLogEntity: 'a record of calls, kept for a limited time',
  AuditChainEntity: 'one row for each organisation',
  IntegrationWorkspaceEntity: 'one for each integration and workspace, which are capped',
  McpIntegrationWorkspaceEntity: 'one for each integration and workspace, which are capped',
  McpCapabilityEntity: 'read from a server; 6,000 for each integration at most',
  AgentIntegrationWorkspaceEntity: 'one for each integration and workspace, which are capped',
  AgentSkillEntity: 'read from a card; 2,000 for each integration at most',
  AgentServerSkillEntity: 'one for each agent and skill',
  AgentServerUserEntity: 'one for each agent and user, which are capped',
  McpServerCapabilityEntity: 'one for each server and capability',
  McpServerUserEntity: 'one for each server and user, which are capped',
  McpConnectionEntity: 'one for each server and user, which are capped',
  ChangeEventEntity: 'deleted once gateways have read it',
  EnforcedFeaturesEntity: 'one row',
  GatewayEntity: 'one for each gateway',
  PromptLabelEntity: 'one for each prompt and label, which are capped',
  PromptShareEntity: 'one for each prompt and workspace, which are capped',
  UsageLimitPolicyValueEntity: 'created by requests to the gateway, not by control-plane calls',
  WorkspaceExclusionEntity: 'one for each workspace and direction',
  OrganisationPropertiesEntity: 'one for each organisation',
  BatchEntity: 'a record of a request, like its log',
  MailEntity: 'deleted once it is sent',
  IdempotentRequestEntity: 'a record of calls, kept for a day',
  RepricingEntity: 'a record of changes to the logs',
  FeedbackEntity: 'belongs to a log',
  LoginChallengeEntity: 'expires; twenty for each user at most',
  TakenChallengeEntity: 'expires; old ones are deleted at the next use',
  SecondFactorEntity: 'three apps and twenty passkeys for each user at most',
  RecoveryCodeEntity: 'ten for each user',
  OauthArtifactEntity: 'expires; a hundred tokens for each grant at most',
  OauthConsentEntity: 'expires; two hundred for each user at most',
  McpApprovalEntity: 'deleted a month after it is over; five hundred wait in each workspace at most',
  McpHealthEntity: 'one for each integration and minute of a day',
  AgentCardEntity: 'the newest fifty of each agent integration are kept, which are capped',
  AgentHealthEntity: 'one for each integration and minute of a day',
  McpConnectTicketEntity: 'expires; twenty for each user at most',
  McpOauthClientEntity: 'one for each MCP integration and authorization server',
  McpOpenApiDocumentEntity: 'one for each MCP integration, which are capped',
  McpRevocationEntity: 'deleted once it is attempted',
  ClaimEntity: 'one for each user, deleted when it is used',
  PlaygroundKeyEntity: 'expires; twenty for each user at most',
  SigningKeyEntity: 'a few for the installation',
  SsoSessionEntity: 'one for each session',
  SsoUsedMessageEntity: 'expires; only signed messages of providers make one',
  SsoFlowEntity: 'expires; old ones are deleted at the next login',
  SsoLinkEntity: 'one for each user and connection, which are capped',
  ScimTokenEntity: 'two for each organisation: the current and the previous one',
  ScimGroupMemberEntity: 'one for each group and user, which are capped',
  ScimExchangeEntity: 'a record of calls; the last 200 of each organisation are kept',
  LogExportPartEntity: 'belongs to an export',
};

/** Bodies that create something, for routes whose body in the tenancy matrix does not. */
const MAKING: Readonly<Record<string, (parts: BodyParts) => object>> = {
  invites_create: () => ({ email: `${uuidv7()}@example.com`, role: 'member', workspaces: [] }),
  plugins_create: () => ({ plugin_provider_id: `p${uuidv7()}`, credentials: { apiKey: 'x' } }),
  integrations_updateModels: () => ({ models: [{ slug: uuidv7(), is_custom: true }] }),
  configs_update: () => ({ config: { provider: '@x', override_params: { user: uuidv7() } } }),
  guardrails_update: () => ({ checks: [{ id: 'default.contains', parameters: { words: [uuidv7()] } }] }),
  prompts_update: () => ({ patch: true, string: uuidv7() }),
  partials_update: () => ({ string: uuidv7() }),
};
/** Kinds of rows that the test does not create up to the cap, with the reason. */
const NOT_FILLED: Readonly<Record<string, string>> = {
  organisation_users: 'created by a call of the invited user, whose token is only sent by mail',
  scim_users: 'created by the identity provider, over SCIM',
  guardrail_mcp_servers: 'only servers of the workspace, which reach their cap first',
  guardrail_agent_servers: 'only agents of the workspace, which reach their cap first',
  integrations: 'one of a workspace also creates a provider, and providers reach their cap first',
};

describe('resource caps', () => {
  const admin = new TestAdminApi({
    RESOURCES_MAX: String(MAX),
    API_KEYS_MAX: String(MAX),
    VERSIONS_MAX: String(MAX),
  });
  const fixtures = new Fixtures(admin);
  let place: Place;

  beforeAll(async () => {
    const ours = await admin.tenant();
    await admin.dataSource.manager.update(
      OrganisationEntity,
      { id: ours.organisationId },
      { securitySettings: ALL_OPEN },
    );
    place = { ...ours, mark: 'Own', organisationMark: 'Ours' };
  });

  const columnOf = (entity: new () => object, member: string): string =>
    admin.dataSource.getMetadata(entity).findColumnWithPropertyName(member)?.databaseName ?? '';

  /** Returns the number of counted rows of the owner with the most rows. */
  async function most({ entity, owner, gone, status }: (typeof CAPPED_KINDS)[number]): Promise<number> {
    const { tableName } = admin.dataSource.getMetadata(entity);
    const column = columnOf(entity, `${owner}Id`);
    const of = owner === 'workspace' ? `coalesce(${column}, organisation_id)` : column;
    const counts = gone ? `status <> '${gone}'` : status ? `status = '${status}'` : 'true';
    const [row] = await admin.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM "${tableName}" WHERE ${counts} GROUP BY ${of} ORDER BY 1 DESC LIMIT 1`,
    );
    return row?.count ?? 0;
  }

  async function call(route: Route, fixture: Fixture): Promise<GatewayResponse> {
    const row = TENANCY_ROWS[route.handler];
    const { workspaceId } = place;
    const parts = { fixture, workspaceId, targetId: workspaceId };
    const body = (MAKING[route.handler] ?? row?.body)?.(parts);
    const path = withIds(route.paths[0] ?? '', fixture, false).replace('{workspaceId}', workspaceId);
    const isNamed = row?.aim === 'named' || row?.needsWorkspace;
    const url = isNamed ? `${path}?workspace_id=${workspaceId}` : path;
    const asWorkspace = await admin.call(route.method, url, { key: place.key, body });
    if (![401, 403, 404].includes(asWorkspace.status)) return asWorkspace;
    return admin.call(route.method, url, { key: place.adminKey, body });
  }

  /**
   * Returns the error of a route at the cap; null for any other response, or when the route creates
   * nothing that has a cap.
   */
  async function refusalOf(route: Route, fixture: Fixture): Promise<string | null> {
    for (let left = MAX + 2; left > 0; left -= 1) {
      const { status, body } = await call(route, fixture);
      const { type, message } = (body['error'] ?? {}) as { type?: string; message?: string };
      if (type === 'resource_limit_reached') return [status, message].join(' ');
      if (status !== 200 && status !== 201) return null;
    }
    return null;
  }

  it('are declared for every entity, or the entity is listed with a reason', () => {
    const capped = new Set(CAPPED_KINDS.map(({ entity }) => entity.name));
    const names = ENTITIES.map(({ name }) => name);
    expect(names.filter((name) => !capped.has(name) && NEED_NO_CAP[name] === undefined)).toEqual([]);
    expect(Object.keys(NEED_NO_CAP).filter((name) => capped.has(name) || !names.includes(name))).toEqual([]);
  });

  it('apply to every documented route that creates something, and the error says what to do', async () => {
    const routes = routesOf(admin.api.document).filter(({ method }) => method === 'POST' || method === 'PUT');
    const refusals = new Set<string>();
    // Users are created first, before the cap is reached.
    const made = new Map<Kind | undefined, Fixture>();
    for (const kind of new Set(Object.values(TENANCY_ROWS).map(({ kind }) => kind)))
      if (kind) made.set(kind, await fixtures.of(kind, place));
    for (const route of routes) {
      const row = TENANCY_ROWS[route.handler];
      if (!row || /^(auth|passwords|inviteAcceptance)_/.test(route.handler)) continue;
      const fixture = made.get(row.kind);
      const refusal = await refusalOf(route, fixture ?? { id: uuidv7() });
      if (refusal !== null) refusals.add(refusal);
    }
    const counts: Record<string, number> = {};
    for (const kind of CAPPED_KINDS) {
      const { tableName } = admin.dataSource.getMetadata(kind.entity);
      if (NOT_FILLED[tableName] === undefined) counts[tableName] = await most(kind);
    }
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((name) => [name, MAX])));
    const way = 'delete unused ones or raise RESOURCES_MAX.';
    expect([...refusals]).toEqual(
      expect.arrayContaining([
        `409 This workspace already has the maximum of 9 configs; ${way}`,
        `409 This organisation already has the maximum of 9 deployments; ${way}`,
        '409 This organisation already has the maximum of 9 open invites; cancel unused ones or raise API_KEYS_MAX.',
        '409 This config already has the maximum of 9 versions; continue in a new config or raise VERSIONS_MAX.',
      ]),
    );
  }, 240_000);

  it('count resources without a workspace for the organisation', async () => {
    const make = async (): Promise<number> => {
      const body = { name: uuidv7(), ai_provider_id: 'openai', key: 'sk-0123456789abcdef' };
      return (await admin.post('/v1/integrations', { key: place.adminKey, body })).status;
    };
    // One of the rows is a fixture.
    for (let left = MAX - 1; left > 0; left -= 1) expect(await make()).toBe(200);
    expect(await make()).toBe(409);
  });

  it('do not count deleted rows, and also apply to dry runs', async () => {
    const list = await admin.get<{ data: { id: string }[] }>(`/v1/labels?workspace_id=${place.workspaceId}`, {
      key: place.key,
    });
    const make = (query = ''): Promise<GatewayResponse> =>
      admin.post(`/v1/labels${query}`, { key: place.key, body: { name: uuidv7() } });
    expect([(await make()).status, (await make('?dry_run=true')).status]).toEqual([409, 409]);
    const [first] = list.body.data;
    expect((await admin.delete(`/v1/labels/${first?.id ?? ''}`, { key: place.key })).status).toBe(200);
    expect([(await make()).status, (await make()).status]).toEqual([200, 409]);
  });
});
