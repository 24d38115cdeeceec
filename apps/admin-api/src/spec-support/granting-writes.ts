import { SECURITY_SETTINGS } from '@gw/auth-scopes';
import { trustFields } from './trusts';

/** Ids that an attempt may contain. */
export interface Aim {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** A member of the workspace without further rights; `bossId` is an admin of the workspace. */
  readonly memberId: string;
  readonly bossId: string;
  /** A user without any role in a workspace; `selfId` is the caller, if the caller is a user. */
  readonly newcomerId: string;
  readonly selfId: string;
  /** Keys with more rights than most callers, and one with fewer. */
  readonly keyIds: readonly string[];
  /** An invite with the role of an organisation admin. */
  readonly inviteId: string;
  /** A SCIM group whose member is the newcomer. */
  readonly scimGroupId: string;
  /** A trust whose tokens may read logs and change the workspace. */
  readonly trustId: string;
}

export interface Attempt {
  /** Values by path parameter. */
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const ROLES = ['admin', 'manager', 'member'] as const;
const SCOPES = [
  ['logs.view', 'completions.write', 'workspace_users.update', 'workspaces.update'],
  ['logs.list'],
  ['completions.write'],
];
/** Security settings: all on, the defaults, and only those of one group on. */
const OPENINGS: readonly object[] = [
  Object.fromEntries(SECURITY_SETTINGS.map(({ name }) => [name, true])),
  Object.fromEntries(SECURITY_SETTINGS.map(({ name, fallback }) => [name, fallback])),
  ...['members', 'managers', 'organisationAdmins'].map((bound) =>
    Object.fromEntries(
      SECURITY_SETTINGS.map(({ name, settingGroup: standing }) => [name, standing === bound]),
    ),
  ),
];
const OVERRIDES = ['logs', 'data_visibility', 'api_keys', 'configs', 'workspace_management'];
const overrides = (isOpen: boolean): object =>
  Object.fromEntries(OVERRIDES.map((category) => [category, isOpen]));

const named = (scopes: readonly string[]): object => ({ name: 'x', scopes });
const at = (type: string, subType: string): Record<string, string> => ({ type, subType });

/**
 * Writes that could give rights to a user or key, each as an attacker would send it. Every
 * documented write is in this list or in `WRITES_WITHOUT_RIGHTS`.
 */
export const GRANTING_WRITES: Readonly<Record<string, (aim: Aim) => readonly Attempt[]>> = {
  apiKeys_create: ({ workspaceId, memberId, bossId, selfId }) => [
    ...SCOPES.flatMap((scopes) => [
      { path: at('workspace', 'service'), body: { ...named(scopes), workspace_id: workspaceId } },
      ...[memberId, bossId, selfId].map((user) => ({
        path: at('workspace', 'user'),
        body: { ...named(scopes), workspace_id: workspaceId, user_id: user },
      })),
    ]),
    {
      path: at('organisation', 'service'),
      body: named(['organisation_users.create', 'audit_logs.list']),
    },
    { path: at('organisation', 'service'), body: named(['logs.list']) },
  ],
  apiKeys_update: ({ keyIds }) =>
    keyIds.flatMap((id) => SCOPES.map((scopes) => ({ path: { id }, body: { scopes } }))),
  apiKeys_rotate: ({ keyIds }) => keyIds.map((id) => ({ path: { id }, body: {} })),
  apiKeys_remove: ({ keyIds }) => keyIds.map((id) => ({ path: { id } })),
  invites_create: ({ workspaceId }) => [
    ...['admin', 'member'].map((role) => ({ body: { email: 'invited@example.com', role, workspaces: [] } })),
    ...ROLES.map((role) => ({
      body: { email: 'invited@example.com', role: 'member', workspaces: [{ id: workspaceId, role }] },
    })),
  ],
  invites_resend: ({ inviteId }) => [{ path: { inviteId } }],
  users_update: ({ memberId, bossId, selfId }) =>
    [memberId, bossId, selfId].flatMap((userId) =>
      ['owner', 'admin', 'member'].map((role) => ({ path: { userId }, body: { role } })),
    ),
  users_remove: ({ memberId, bossId }) => [memberId, bossId].map((userId) => ({ path: { userId } })),
  passwordResets_create: ({ memberId, bossId }) => [memberId, bossId].map((userId) => ({ path: { userId } })),
  factorResets_create: ({ memberId, bossId }) => [memberId, bossId].map((userId) => ({ path: { userId } })),
  workspaceMembers_add: ({ workspaceId, newcomerId }) =>
    ROLES.map((role) => ({ path: { workspaceId }, body: { users: [{ id: newcomerId, role }] } })),
  workspaceMembers_update: ({ workspaceId, memberId, bossId, selfId }) =>
    [memberId, bossId, selfId].flatMap((userId) =>
      ROLES.map((role) => ({ path: { workspaceId, userId }, body: { role } })),
    ),
  workspaceMembers_remove: ({ workspaceId, memberId, bossId }) =>
    [memberId, bossId].map((userId) => ({ path: { workspaceId, userId } })),
  workspaces_create: ({ memberId, selfId }) => [
    { body: { name: 'x' } },
    ...[memberId, selfId].map((id) => ({ body: { name: 'x', users: [{ id, role: 'admin' }] } })),
  ],
  workspaces_update: ({ workspaceId }) =>
    OPENINGS.map((settings) => ({ path: { workspaceId }, body: { security_settings: settings } })),
  organisations_updateSettings: () => [
    ...OPENINGS.map((settings) => ({ body: { security_settings: settings } })),
    { body: { workspace_overrides: overrides(true) } },
    { body: { workspace_overrides: overrides(false) } },
  ],
  scimMappings_create: ({ workspaceId, scimGroupId }) =>
    ROLES.map((role) => ({ body: { workspace_id: workspaceId, role, scim_group_id: scimGroupId } })),
  trusts_create: ({ workspaceId }) =>
    SCOPES.map((scopes) => ({
      body: { ...trustFields('made'), maps: [{ workspace: workspaceId, scopes }] },
    })),
  trusts_update: ({ trustId }) =>
    [
      ...SCOPES.map((scopes) => ({ maps: [{ scopes }] })),
      { jwks: trustFields('made')['jwks'] },
      { issuer: 'https://mine.example.org', jwks: trustFields('made')['jwks'] },
      { audiences: ['https://mine.example.org'] },
      { conditions: [] },
      { status: 'active' },
      { status: 'disabled' },
    ].map((body) => ({ path: { trustId }, body })),
};

/**
 * Writes, by resource, that change no rights or give only rights that a write above has promised.
 */
const WITHOUT_RIGHTS: Readonly<Record<string, string>> = {
  agentCards: 'fetch',
  agentIntegrations: 'create remove update updateWorkspaces',
  agentServerAccess: 'updateRules updateSkills updateUsers',
  agentServers: 'create remove test update',
  agentSkills: 'approve reject sync test update',
  alertWebhooks: 'create remove update',
  authSettings: 'update',
  auth: 'changeOrganisation login loginByFactor logout refresh',
  claim: 'create',
  collections: 'create remove update',
  configs: 'create remove simulate update',
  defaultGuardrails: 'update',
  deployments: 'create remove update',
  domains: 'create remove update verify',
  feedback: 'create update',
  grants: 'end',
  guardrailQuality: 'feedback',
  guardrailServers: 'put replace replaceAgents',
  guardrails: 'create invoke remove update',
  oauthClients: 'create remove rotate update',
  integrationTests: 'run',
  integrations: 'create remove removeModels update updateModels updateWorkspaces',
  inviteAcceptance: 'accept',
  invites: 'cancel',
  labels: 'create remove update',
  logExports: 'cancel create remove start update',
  logs: 'insert',
  mcpApprovals: 'approve reject',
  mcpConnect: 'connect',
  mcpCapabilities: 'approve reject sync test update',
  mcpImport: 'run',
  mcpIntegrationVersions: 'restore',
  mcpIntegrations: 'create remove update updateWorkspaces',
  mcpOpenApi: 'create update',
  mcpServerAccess: 'removeConnection updateCapabilities updateRules updateUsers',
  mcpServers: 'create remove test update',
  mcpToolsets: 'create remove update',
  mfa: 'confirm enrol remove renewCodes',
  organisationProperties: 'update',
  organisations: 'update',
  ownGrants: 'end',
  partials: 'create fork publish remove removeShare replaceShare share unshare update',
  passkeyLogin: 'begin login',
  passkeys: 'begin register rename',
  passwords: 'change forgot reset',
  // The key has the rights that its user holds at each moment.
  playgroundKeys: 'create',
  plugins: 'create update',
  prompts: 'create fork label publish remove removeShare replaceShare share unshare update',
  providers: 'create remove update',
  rateLimitPolicies: 'create remove update',
  repricings: 'apply create',
  scimMappings: 'remove',
  scimSetup: 'dryRun',
  scimTokens: 'create remove',
  secretReferences: 'create remove rotate test update',
  samlLogin: 'callback',
  signingKeys: 'rotate',
  ssoConnections: 'create previewGroups previewMetadata remove test update',
  ssoLinks: 'remove',
  ssoLogin: 'exchange',
  ssoLogout: 'take',
  traces: 'ingest',
  trusts: 'remove test',
  usageLimitPolicies: 'create remove reset update',
  virtualKeys: 'create remove update',
  workspaceExclusions: 'updateInputs updateOutputs',
  workspaces: 'remove',
};

export const WRITES_WITHOUT_RIGHTS: readonly string[] = Object.entries(WITHOUT_RIGHTS).flatMap(
  ([resource, actions]) => actions.split(' ').map((action) => `${resource}_${action}`),
);
