import { SCOPES } from '@gw/auth-scopes';
import { ApiKeySecretEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import * as fc from 'fast-check';
import { PASSWORD, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { hashOf } from '../../spec-support/api-keys';
import { excessOf, holdingsOf, type Holding, type HoldingCaller } from '../../spec-support/rights-held';
import { trustFields } from '../../spec-support/trusts';

const ROLES = ['admin', 'manager', 'member'] as const;
/** Scopes that many callers hold, and those with which a chain continues. */
const COMMON = ['completions.write', 'logs.list', 'logs.view', 'analytics.view', 'prompts.read'].concat(
  SCOPES.filter((scope) => /_api_keys\.create$|_users\.create$|^organisation_settings\./.test(scope)),
);
const scopes = fc.oneof(
  { weight: 3, arbitrary: fc.subarray(COMMON, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.subarray([...SCOPES], { minLength: 1, maxLength: 6 }) },
);

/** Something that a caller tries to create; the chain may continue with its credential. */
interface Step {
  readonly kind: 'service key' | 'organisation key' | 'user key' | 'invite' | 'trust';
  readonly scopes: readonly string[];
  readonly organisationRole: 'admin' | 'member';
  readonly role: (typeof ROLES)[number];
  readonly goesOn: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('service key', 'organisation key', 'user key', 'invite', 'trust'),
  scopes,
  organisationRole: fc.constantFrom('admin', 'member'),
  role: fc.constantFrom(...ROLES),
  goesOn: fc.boolean(),
});
interface Root extends Pick<Step, 'role' | 'scopes'> {
  readonly kind: 'user' | 'service key' | 'organisation key';
}
const root: fc.Arbitrary<Root> = fc.record({
  kind: fc.constantFrom('user', 'service key', 'organisation key'),
  role: fc.constantFrom(...ROLES),
  scopes: fc.oneof(fc.constant([...SCOPES]), fc.subarray(COMMON, { minLength: 4 })),
});

interface Actor {
  readonly principal: string;
  readonly userId: string | null;
  readonly credential: { readonly key?: string; readonly token?: string };
  readonly isOrganisationKey: boolean;
}
interface Made {
  readonly id: string;
  readonly key?: string;
  readonly invite_link?: string;
}

describe('chains of grants', () => {
  const admin = new TestAdminApi();
  let made = 0;
  /** Number of steps that succeeded, by kind. */
  const succeeded = new Map<string, number>();

  async function rootOf(tenant: Tenant, { kind, role, scopes }: Root): Promise<Actor> {
    const { organisationId, workspaceId } = tenant;
    if (kind === 'user') {
      const { id, email } = await admin.user(organisationId, 'member', { [workspaceId]: role });
      const credential = { token: await admin.login(email) };
      return { principal: `user ${id}`, userId: id, credential, isOrganisationKey: false };
    }
    const isOrganisationKey = kind === 'organisation key';
    const type = isOrganisationKey ? 'organisation-service' : 'workspace-service';
    const key = await admin.apiKey(type, isOrganisationKey ? { organisationId } : tenant, scopes);
    return { principal: `key ${await idOf(key)}`, userId: null, credential: { key }, isOrganisationKey };
  }

  async function idOf(secret: string): Promise<string> {
    const secretHash = hashOf(secret);
    return (await admin.dataSource.manager.findOneByOrFail(ApiKeySecretEntity, { secretHash })).apiKeyId;
  }

  function attempt(
    { workspaceId }: Tenant,
    { credential, userId }: Actor,
    { kind, scopes, organisationRole, role }: Step,
  ): Promise<GatewayResponse<Made>> {
    made += 1;
    const name = `made-${String(made)}`;
    const send = (path: string, body: object): Promise<GatewayResponse<Made>> =>
      admin.post<Made>(path, { ...credential, body });
    switch (kind) {
      case 'service key':
        return send('/v1/api-keys/workspace/service', { name, scopes, workspace_id: workspaceId });
      case 'organisation key':
        return send('/v1/api-keys/organisation/service', { name, scopes });
      case 'user key': {
        const user = userId === null ? {} : { user_id: userId };
        return send('/v1/api-keys/workspace/user', { name, scopes, workspace_id: workspaceId, ...user });
      }
      case 'invite': {
        const workspaces = organisationRole === 'admin' ? [] : [{ id: workspaceId, role }];
        const email = `${uuidv7()}@example.com`;
        return send('/v1/admin/users/invites', { email, role: organisationRole, workspaces });
      }
      case 'trust': {
        const maps = [{ workspace: workspaceId, scopes }];
        return send('/v1/trusts', { ...trustFields(name), name, maps });
      }
    }
  }

  /**
   * Returns the actor with what was created; null for a trust, whose tokens cannot call the control
   * plane.
   */
  async function successor({ kind }: Step, { id, key, invite_link: link }: Made): Promise<Actor | null> {
    if (key !== undefined) {
      const isOrganisationKey = kind === 'organisation key';
      const [row] = await admin.dataSource.query<{ user_id: string | null }[]>(
        `SELECT user_id FROM api_keys WHERE id = $1`,
        [id],
      );
      return { principal: `key ${id}`, userId: row?.user_id ?? null, credential: { key }, isOrganisationKey };
    }
    if (link === undefined) return null;
    const token = link.split('/').at(-1);
    const accepted = await admin.post('/v1/invites/accept', { body: { token, password: PASSWORD } });
    expect(accepted.status).toBe(200);
    const [user] = await admin.dataSource.query<{ id: string; email: string }[]>(
      `SELECT person.id, person.email FROM users AS person JOIN user_invites AS invite ON invite.email = person.email
       WHERE invite.id = $1`,
      [id],
    );
    if (user === undefined) throw new Error('The invited user has not joined.');
    const credential = { token: await admin.login(user.email) };
    return { principal: `user ${user.id}`, userId: user.id, credential, isOrganisationKey: false };
  }

  /** Walks a chain. Returns the rights that a step gave beyond those of its creator. */
  async function walk(first: Root, steps: readonly Step[]): Promise<string[]> {
    const tenant = await admin.tenant();
    const { organisationId, workspaceId } = tenant;
    const holdings = () => holdingsOf(admin.dataSource.manager, organisationId);
    let actor = await rootOf(tenant, first);
    for (const each of steps) {
      const before = await holdings();
      const response = await attempt(tenant, actor, each);
      if (response.status >= 500) return [response.text];
      if (response.status !== 200) continue;
      succeeded.set(each.kind, (succeeded.get(each.kind) ?? 0) + 1);
      const owner = { invite: 'invite', trust: 'trust' }[each.kind as string] ?? 'key';
      const shown = [`${owner} ${response.body.id}`];
      const caller = asHolder(actor, [...before.values()], workspaceId);
      const excess = excessOf({ caller, before, after: await holdings(), shown });
      if (excess.length > 0) return excess.map((what) => `${each.kind} of ${actor.principal}: ${what}`);
      const next = each.goesOn ? await successor(each, response.body) : null;
      if (next !== null) actor = next;
    }
    return [];
  }

  it('never give more rights than the creator of each step has, whatever the order', async () => {
    await fc.assert(
      fc.asyncProperty(root, fc.array(step, { minLength: 2, maxLength: 8 }), async (first, steps) => {
        expect(await walk(first, steps)).toEqual([]);
      }),
      { numRuns: 60 },
    );
    // A kind that is always refused would prove nothing.
    expect([...succeeded.keys()].sort()).toEqual([
      'invite',
      'organisation key',
      'service key',
      'trust',
      'user key',
    ]);
  });
});

/** Returns the rights of a step's creator: in the workspace, else in the organisation. */
function asHolder(actor: Actor, before: readonly Holding[], workspaceId: string): HoldingCaller {
  const own = before.filter(({ principal }) => principal === actor.principal);
  const holding = own.find((each) => each.workspaceId === workspaceId) ?? own[0];
  if (holding === undefined) throw new Error(`${actor.principal} holds nothing.`);
  const { principal, userId, isOrganisationKey } = actor;
  const { rank, seesAllData } = holding;
  return { principal, userId, isOrganisationKey, rank, seesAllData };
}
