import { readCases } from '@gw/testing';
import { AuditLogEntity, WorkspaceUserEntity } from '@gw/entities';
import { TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider, type ScimCall, type ScimResponse } from './spec-support/identity-provider';

interface Sequence {
  readonly id: string;
  readonly group: string;
  readonly idp?: string;
  readonly reason: string;
  readonly steps: readonly (ScimCall | { readonly parallel: number; readonly each: ScimCall })[];
  readonly expect: Readonly<Record<string, unknown>>;
}

const { cases } = readCases('scim_idps.json') as { readonly cases: readonly Sequence[] };
const sequences = cases.filter(({ group }) => group === 'sequence');

/** User agents by which the dialect of an identity provider is recognised. */
const AGENTS: Readonly<Record<string, string>> = {
  okta: 'Okta SCIM Client 1.0.0',
  entra: 'Mozilla/5.0 Azure AD SCIM',
};

const agentOf = ({ idp = '' }: Sequence): string => AGENTS[idp.split('-')[0] ?? ''] ?? 'a client';

/** Resources that exist before the steps: ids by their names in the vectors. */
type Ids = Readonly<Record<string, string>>;

const filled = <T>(value: T, ids: Ids): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/\{(\w+(?:<i>)?)\}|<GROUP>/g, (all: string, name?: string) => {
      return ids[name ?? 'g'] ?? all;
    }),
  ) as T;

const at = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);

const emailsOf = (body: ScimResponse['body']): unknown =>
  ((body['emails'] ?? []) as { value: string }[]).map(({ value }) => value);

describe('requests of identity providers', () => {
  const api = new TestAdminApi();

  /**
   * Creates the resources that the steps name: users, a group, and its first member if a member is
   * removed or stays.
   */
  async function prepared({
    idp,
    reason,
    steps,
  }: Sequence): Promise<{ provider: IdentityProvider; ids: Ids }> {
    const provider = await IdentityProvider.of(api, await api.tenant());
    const text = JSON.stringify(steps);
    const stays = reason.includes('members stay');
    const names = ['u1', 'u2'].filter((name) => stays || text.includes(`{${name}}`));
    const ids: Record<string, string> = {};
    for (const name of names) ids[name] = await provider.user(`${name}@example.org`);
    if (text.includes('{id}') && !text.includes('"POST"')) ids['id'] = await provider.user('bob@example.org');
    if (reason.includes('ann exists')) await provider.user('ann@example.org');
    const first = stays || text.includes('remove') ? names.slice(0, 1).map((name) => ids[name] ?? '') : [];
    if (/\{g\}|<GROUP>/.test(text) || reason.startsWith('group without')) {
      ids['g'] = await provider.group(idp === 'entra' ? 'Ops' : 'Eng', first);
    }
    return { provider, ids };
  }

  /** Gives a user a key in a workspace, as a member would have created it. */
  async function keyOf({ tenant }: IdentityProvider, userId: string): Promise<string> {
    const { organisationId, workspaceId } = tenant;
    await api.dataSource.manager.insert(WorkspaceUserEntity, { workspaceId, userId, role: 'member' });
    return api.apiKey('workspace-user', { organisationId, workspaceId, userId });
  }

  const isAccepted = async (key: string): Promise<boolean> =>
    (await api.get('/v1/api-keys/self/details', { key })).status !== 401;

  /**
   * Sends a step, or one request for each of many users concurrently. Remembers the id that the
   * first POST creates.
   */
  async function sent(
    provider: IdentityProvider,
    step: Sequence['steps'][number],
    known: Record<string, string>,
    headers: Readonly<Record<string, string>>,
  ): Promise<ScimResponse[]> {
    if ('parallel' in step) {
      const names = Array.from({ length: step.parallel }, (_, i) => `m${String(i)}@example.org`);
      const users = await Promise.all(names.map((name) => provider.user(name)));
      return Promise.all(users.map((user) => provider.call(filled(step.each, { ...known, 'u<i>': user }))));
    }
    const call = filled(step, known);
    const response = await provider.call({ ...call, headers: { ...headers, ...call.headers } });
    if (call.method === 'POST' && response.status === 201) known['id'] ??= String(response.body['id']);
    return [response];
  }

  it.each(sequences.map((each) => [each.id, each.reason, each] as const))(
    '%s %s',
    async (_id, _reason, sequence) => {
      const { provider, ids } = await prepared(sequence);
      const known: Record<string, string> = { ...ids };
      const before = known['g'] === undefined ? [] : await provider.members(known['g']);
      const headers = { 'user-agent': agentOf(sequence) };
      const responses: ScimResponse[] = [];
      const keys: string[] = [];
      for (const step of sequence.steps) {
        if (known['id'] !== undefined && keys.length === 0 && sequence.expect['effect'] !== undefined) {
          keys.push(await keyOf(provider, known['id']));
          expect(await isAccepted(keys[0] ?? '')).toBe(true);
        }
        responses.push(...(await sent(provider, step, known, headers)));
      }
      const last = responses.at(-1) ?? { status: 0, headers: {}, body: {} };
      const shown = await shownBy(provider, last, known);
      const outcome = { provider, last, responses, shown, before, keys, group: known['g'] ?? '' };
      for (const [name, value] of Object.entries(filled(sequence.expect, known)))
        await check(name, value, outcome);
    },
  );

  /**
   * Returns the resource in the last response, else the current state of the sequence's resource.
   */
  async function shownBy(
    provider: IdentityProvider,
    last: ScimResponse,
    ids: Ids,
  ): Promise<ScimResponse['body']> {
    const [listed] = (last.body['Resources'] ?? []) as Record<string, unknown>[];
    if (listed !== undefined) return listed;
    return last.status < 400 && last.status !== 204 ? last.body : current(provider, ids);
  }

  /** Returns the current state of the sequence's user or group. */
  async function current(provider: IdentityProvider, ids: Ids): Promise<ScimResponse['body']> {
    const path = ids['g'] === undefined ? `/Users/${ids['id'] ?? ''}` : `/Groups/${ids['g']}`;
    return (await provider.call({ method: 'GET', path })).body;
  }

  interface Outcome {
    readonly provider: IdentityProvider;
    readonly last: ScimResponse;
    readonly responses: readonly ScimResponse[];
    readonly shown: ScimResponse['body'];
    readonly before: readonly string[];
    readonly keys: readonly string[];
    readonly group: string;
  }

  type Check = (value: unknown, outcome: Outcome) => Promise<void> | void;

  const status: Check = (value, { last }) => {
    expect([value].flat()).toContain(last.status);
  };
  const ofBody =
    (name: string): Check =>
    (value, { last }) => {
      expect(last.body[name]).toEqual(value);
    };
  const ofMembers =
    (test: (members: readonly string[], value: unknown, outcome: Outcome) => void): Check =>
    async (value, outcome) => {
      test(await outcome.provider.members(outcome.group), value, outcome);
    };

  const CHECKS: Readonly<Record<string, Check>> = {
    last: status,
    status,
    statuses: (value, { responses }) => {
      expect(responses.map((each) => each.status)).toEqual(value);
    },
    has: (value, { last }) => {
      expect(Object.keys(last.body)).toEqual(expect.arrayContaining(value as string[]));
    },
    body_has: (value, { shown }) => {
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(value as string[]));
    },
    body_lacks: (value, { last, shown }) => {
      for (const name of value as string[]) {
        expect(Object.keys(last.body)).not.toContain(name);
        expect(Object.keys(shown)).not.toContain(name);
      }
    },
    emails: (value, { shown }) => {
      expect(emailsOf(shown)).toEqual(value);
    },
    totalResults: ofBody('totalResults'),
    scimType: ofBody('scimType'),
    members: ofMembers((members, value, { before }) => {
      expect(members).toEqual(value === 'unchanged' ? before : value);
      if (value === 'unchanged') expect(before).not.toEqual([]);
    }),
    members_count: ofMembers((members, value) => {
      expect(members).toHaveLength(value as number);
    }),
    members_add: ofMembers((members, value) => {
      expect(members).toEqual(expect.arrayContaining(value as string[]));
    }),
    members_remove: ofMembers((members, value, { before }) => {
      expect(before).toEqual(value);
      expect(members).toEqual([]);
    }),
    members_once: ofMembers((members, value) => {
      expect(members).toEqual([value]);
    }),
    effect: async (_value, { keys }) => {
      expect(keys).toHaveLength(1);
      for (const key of keys) expect(await isAccepted(key)).toBe(false);
    },
    audit: async (value, { provider: { tenant } }) => {
      const { organisationId } = tenant;
      const rows = await api.dataSource.manager.findBy(AuditLogEntity, { organisationId });
      expect(JSON.stringify(rows.map(({ after }) => after))).toContain(String(value).split(' ')[0]);
    },
  };

  async function check(name: string, value: unknown, outcome: Outcome): Promise<void> {
    const known = CHECKS[name] ?? (name.startsWith('members_of') ? CHECKS['members'] : undefined);
    if (known !== undefined) await known(value, outcome);
    else expect([name, at(outcome.shown, name)]).toEqual([name, value]);
  }
});
