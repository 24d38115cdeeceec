import { ALL_OPEN, SCOPES, scopesAllowedFor, type WorkspaceRole } from '@gw/auth-scopes';
import { MCP_ADMIN_PATH } from '@gw/contracts';
import { OrganisationEntity, OrganisationUserEntity } from '@gw/entities';
import { In } from 'typeorm';
import { PUBLIC_URL } from '../platform/oauth/spec-support/oauth-journey';
import { accessToken, sent } from './access-tokens';
import type { TestAdminApi } from './admin-api';
import type { PlaceName, Role, Target } from './tenancy-expectations';
import type { Place } from './tenancy-fixtures';

export type Places = Readonly<Record<PlaceName, Place>>;

type Unnamed = Omit<Role, 'name'>;

/** Environment with the address of the OAuth server, which the admin API of the matrix needs. */
export const ENVIRONMENT = { PUBLIC_URL };

/** Workspaces of the first organisation. */
const OURS: readonly Target[] = ['own workspace', 'sibling workspace'];
const NO_SCOPES: ReadonlySet<string> = new Set();
const DATA_SCOPES = SCOPES.filter(
  (scope) =>
    scopesAllowedFor('workspace-service').has(scope) && !scopesAllowedFor('organisation-service').has(scope),
);
const USER_KEY_SCOPES = [...scopesAllowedFor('workspace-user')];
const READING_SCOPES = SCOPES.filter((scope) => /\.(?:list|read|view)$/.test(scope));

/**
 * Creates two workspaces of one organisation and one of another, in which every security setting is
 * on.
 */
export async function makePlaces(admin: TestAdminApi): Promise<Places> {
  const ours = await admin.tenant();
  const theirs = await admin.tenant();
  const { organisationId, adminKey } = ours;
  const both = { id: In([organisationId, theirs.organisationId]) };
  await admin.dataSource.manager.update(OrganisationEntity, both, { securitySettings: ALL_OPEN });
  const siblingId = await admin.workspace(organisationId, { name: 'Canary-sibling' });
  const siblingKey = await admin.apiKey('workspace-service', { organisationId, workspaceId: siblingId });
  const organisationMark = 'Canary-ours';
  return {
    'own workspace': { ...ours, mark: 'Canary-own', organisationMark },
    'sibling workspace': {
      ...{ organisationId, adminKey, workspaceId: siblingId, key: siblingKey },
      ...{ mark: 'Canary-sibling', organisationMark },
    },
    'other organisation': { ...theirs, mark: 'Canary-other', organisationMark: 'Canary-theirs' },
  };
}

/** Creates a caller of every kind. */
export async function makeRoles(admin: TestAdminApi, places: Places): Promise<readonly Role[]> {
  const made: Readonly<Record<string, Unnamed>> = {
    ...(await unauthenticated(admin, places)),
    ...(await sessions(admin, places)),
    ...(await keys(admin, places)),
    ...(await tokens(admin, places)),
  };
  return Object.entries(made).map(([name, role]) => ({ name, ...role }));
}

const noCaller = (): Omit<Unnamed, 'credential'> => ({
  ...{ kind: 'none', documented: null, scopes: NO_SCOPES, reaches: [], home: 'own workspace' },
});

/** Creates credentials that no route accepts, except public ones. */
async function unauthenticated(
  admin: TestAdminApi,
  { 'own workspace': own, 'other organisation': other }: Places,
): Promise<Record<string, Unnamed>> {
  const none = noCaller();
  const expired = await admin.apiKey('organisation-service', own);
  await admin.dataSource.query(
    `UPDATE api_keys SET expires_at = now() - interval '1 minute' WHERE id = (
       SELECT id FROM api_keys WHERE organisation_id = $1 AND type = 'organisation-service' ORDER BY created_at DESC, id DESC LIMIT 1)`,
    [own.organisationId],
  );
  const [deployment] = await Promise.all(
    [own, other].map(async ({ adminKey, organisationMark: name }) =>
      sent(admin.post<{ client_auth: string }>('/v1/deployments', { key: adminKey, body: { name } })),
    ),
  );
  const scim = await sent(
    admin.post<{ token: string }>('/v1/admin/organisation/scim-token', { key: own.adminKey }),
  );
  return {
    anonymous: { ...none, credential: {} },
    // This token works only on the SCIM routes, which are not in the OpenAPI document.
    'SCIM token': { ...none, credential: { token: scim.token } },
    'expired key': { ...none, credential: { key: expired } },
    'deployment token': { ...none, credential: { key: deployment?.client_auth ?? '' } },
  };
}

async function sessions(admin: TestAdminApi, places: Places): Promise<Record<string, Unnamed>> {
  const session = async (
    home: PlaceName,
    documented: string,
    reaches: readonly Target[] = [home],
  ): Promise<Unnamed> => {
    const { email } = await userOf(admin, places[home], documented);
    const credential = { token: await admin.login(email) };
    return { kind: 'session', documented, scopes: null, reaches, home, credential };
  };
  return {
    member: await session('own workspace', 'workspace-member'),
    manager: await session('own workspace', 'workspace-manager'),
    'workspace admin': await session('own workspace', 'workspace-admin'),
    'organisation admin': await session('own workspace', 'admin', OURS),
    'member of workspace B (same org)': await session('sibling workspace', 'workspace-member'),
    'admin of workspace B (same org)': await session('sibling workspace', 'workspace-admin'),
    'organisation admin of org 2': await session('other organisation', 'admin'),
    owner: await session('own workspace', 'owner', OURS),
    'member of the organisation without a workspace': await session('own workspace', 'member', []),
  };
}

async function keys(admin: TestAdminApi, { 'own workspace': own }: Places): Promise<Record<string, Unnamed>> {
  const home = 'own workspace';
  const key = async (scopes: readonly string[], documented: string | null = null): Promise<Unnamed> => {
    const user = documented === null ? {} : { userId: (await userOf(admin, own, documented)).id };
    const type = documented === null ? 'workspace-service' : 'workspace-user';
    const credential = { key: await admin.apiKey(type, { ...own, ...user }, scopes) };
    return { kind: 'key', documented, scopes: new Set(scopes), reaches: [home], home, credential };
  };
  const left = await key(USER_KEY_SCOPES, 'member');
  return {
    'data-plane API key without scopes': await key([]),
    'data-plane API key with all data scopes': await key(DATA_SCOPES),
    'key of a member with all scopes': await key(USER_KEY_SCOPES, 'workspace-member'),
    'key of an organisation admin that reads': await key(
      READING_SCOPES.filter((scope) => USER_KEY_SCOPES.includes(scope)),
      'admin',
    ),
    // Such a key lacks even the rights that a member of the organisation has outside of workspaces.
    'key of a user who left the workspace': { ...left, documented: null, scopes: NO_SCOPES },
  };
}

/** Creates access tokens of clients to which users have granted access. */
async function tokens(admin: TestAdminApi, places: Places): Promise<Record<string, Unnamed>> {
  const { 'own workspace': own, 'sibling workspace': sibling, 'other organisation': other } = places;
  const token = async (
    home: PlaceName,
    documented: string,
    scopes: readonly string[],
    {
      user = null as User | null,
      reaches = [home] as readonly Target[],
      workspaceId = places[home].workspaceId,
    } = {},
  ): Promise<Unnamed> => {
    const who = user ?? (await userOf(admin, places[home], documented));
    const credential = {
      token: await accessToken(admin, places[home], { who, scopes, workspaceId, client: nameOf(home) }),
    };
    const isBound = workspaceId !== '';
    return { kind: 'token', documented, scopes: new Set(scopes), reaches, home, credential, isBound };
  };
  const nameOf = (home: PlaceName): string => `${places[home].organisationMark} client`;
  const ofBoth = await userOf(admin, sibling, 'workspace-admin', { [own.workspaceId]: 'admin' });
  const abroad = await userOf(admin, other, 'owner');
  const ofOther = await token('other organisation', 'owner', READING_SCOPES, {
    user: abroad,
    workspaceId: '',
  });
  const { organisationId } = own;
  const seat = { organisationId, userId: abroad.id, role: 'admin' as const };
  await admin.dataSource.manager.insert(OrganisationUserEntity, seat);
  const resource = PUBLIC_URL + MCP_ADMIN_PATH;
  const who = await userOf(admin, own, 'admin');
  const ofMcp = await accessToken(admin, own, {
    who,
    scopes: USER_KEY_SCOPES,
    workspaceId: '',
    resource,
    client: 'x',
  });
  return {
    'token of a member': await token('own workspace', 'workspace-member', USER_KEY_SCOPES),
    'token that reads a workspace of an owner': await token('own workspace', 'owner', READING_SCOPES),
    'token of an owner for the organisation': await token('own workspace', 'owner', SCOPES, {
      ...{ reaches: OURS, workspaceId: '' },
    }),
    'token for workspace B of an admin of both workspaces': await token(
      ...(['sibling workspace', 'workspace-admin', USER_KEY_SCOPES] as const),
      { user: ofBoth },
    ),
    'token for org 2 of an admin of both organisations': ofOther,
    'token for the MCP server of the control plane': {
      ...noCaller(),
      credential: { token: ofMcp },
    },
  };
}

interface User {
  readonly id: string;
  readonly email: string;
}

/** Creates a user with a role of the OpenAPI document. */
function userOf(
  admin: TestAdminApi,
  { organisationId, workspaceId }: Place,
  documented: string,
  memberships: Readonly<Record<string, WorkspaceRole>> = {},
): Promise<User> {
  if (documented === 'owner' || documented === 'admin' || documented === 'member')
    return admin.user(organisationId, documented, memberships);
  const role = documented.replace('workspace-', '') as WorkspaceRole;
  return admin.user(organisationId, 'member', { [workspaceId]: role, ...memberships });
}
