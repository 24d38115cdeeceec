import { eventually, startRedis, type StubProvider } from '@gw/testing';
import { PUBLIC_URL } from '../../apps/admin-api/src/platform/oauth/spec-support/oauth-journey';
import { Callers, type CallerOf, type Person } from '../spec-support/callers';
import { FleetProcess } from '../spec-support/fleet';
import { OPENAI_CHAT } from '../spec-support/fake-openai';
import { expectEndInOutage } from '../spec-support/outages';
import { CHAT_REQUEST, withProduct } from '../spec-support/workbench';

jest.setTimeout(600_000);

/** Time limit for the fastest ending while change events arrive. */
const BY_EVENTS_MS = 4_000;

let redis: Awaited<ReturnType<typeof startRedis>>;
const bench = withProduct(async () => {
  redis = await startRedis();
  return { redisUrl: redis.url, environment: { PUBLIC_URL } };
});
// Runs after the product has stopped, which would wait for Redis.
afterAll(() => redis.stop());

let callers: Callers;
let stub: StubProvider;
let fleet: FleetProcess[] = [];
let trusts = 0;
/** Milliseconds from the begin of each ending to its refusal, while change events arrived. */
const took: number[] = [];

beforeAll(async () => {
  callers = new Callers(bench());
  stub = await bench().stub();
  stub.respondJson(OPENAI_CHAT);
  await bench().provider({ slug: 'main', type: 'openai', stub });
  fleet = await Promise.all(['two', 'three'].map((name) => FleetProcess.start('gateway', bench(), name)));
});
afterAll(() => Promise.all(fleet.map((gateway) => gateway.stop())));

const gateways = (): string[] => [bench().baseUrl, ...fleet.map(({ baseUrl }) => baseUrl)];

/**
 * Returns the status of one call through a gateway. Sessions list workspaces; all other credentials
 * call the provider.
 */
async function statusOf(gateway: string, { kind, credential, provider = 'main' }: CallerOf): Promise<number> {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const response = await (kind === 'session'
    ? fetch(`${gateway}/admin/workspaces`, { headers: { authorization: headers.authorization } })
    : fetch(`${gateway}/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'x-gw-provider': `@${provider}` },
        body: JSON.stringify(CHAT_REQUEST),
      }));
  await response.arrayBuffer();
  return response.status;
}
const statuses = (caller: CallerOf): Promise<number[]> =>
  Promise.all(gateways().map((gateway) => statusOf(gateway, caller)));

/**
 * Fails unless all gateways serve the callers before `ending`, and refuse each of them permanently
 * after it. Returns the milliseconds that this took.
 */
async function timeOfEnd(ending: () => Promise<unknown>, ended: CallerOf[]): Promise<number> {
  for (const caller of ended)
    await eventually(async () => {
      expect([caller.kind, await statuses(caller)]).toEqual([caller.kind, [200, 200, 200]]);
      return true;
    });
  await ending();
  const endedAt = performance.now();
  const refused = async (caller: CallerOf): Promise<true> => {
    const seen = await statuses(caller);
    expect([caller.kind, seen, seen.every((status) => status === 401 || status === 403)]).toEqual([
      ...[caller.kind, seen, true],
    ]);
    return true;
  };
  await Promise.all(ended.map((caller) => eventually(() => refused(caller))));
  const ms = performance.now() - endedAt;
  for (const caller of ended) await refused(caller);
  return ms;
}
async function expectEnd(ending: () => Promise<unknown>, ended: CallerOf[]): Promise<void> {
  let begunAt = 0;
  const timed = (): Promise<unknown> => {
    begunAt = performance.now();
    return ending();
  };
  await timeOfEnd(timed, ended);
  // Gateways forward sessions to the control plane, which knows of every ending at once.
  if (ended.some(({ kind }) => kind !== 'session')) took.push(performance.now() - begunAt);
}

const remove = (path: string): Promise<unknown> => bench().manage('DELETE', path, { key: bench().adminKey });
const change = (path: string, body: object): Promise<unknown> =>
  bench().manage('PUT', path, { key: bench().adminKey, body });

const session = ({ session: credential }: Person): CallerOf => ({ kind: 'session', credential });
async function userKey(person: Person): Promise<CallerOf & { readonly id: string }> {
  const { id, key } = await callers.userKey(person);
  return { kind: 'user key', credential: key, id };
}
async function access(person: Person): Promise<CallerOf> {
  return { kind: 'access token', credential: (await callers.access(person)).accessToken };
}
async function serviceKey(): Promise<CallerOf & { readonly id: string }> {
  const { id, key } = await bench().newKey();
  return { kind: 'service key', credential: key, id };
}
async function trusted(workspace?: string): Promise<CallerOf & { readonly id: string }> {
  trusts += 1;
  const { id, token } = await callers.trust(`trust-${String(trusts)}`, workspace);
  return { kind: 'token of a trust', credential: token, id };
}
const everythingOf = async (person: Person): Promise<CallerOf[]> => [
  session(person),
  await userKey(person),
  await access(person),
];

/** Opens a stream through a gateway that stays open; `broken` resolves with whether it broke. */
async function openStream(gateway: string, { credential }: CallerOf): Promise<{ broken: Promise<boolean> }> {
  const response = await fetch(`${gateway}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'x-gw-provider': '@streaming',
    },
    body: JSON.stringify({ ...CHAT_REQUEST, stream: true }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect([response.status, (await reader.read()).done]).toEqual([200, false]);
  const rest = async (): Promise<boolean> => {
    for (;;) if ((await reader.read()).done) return false;
  };
  return { broken: rest().catch(() => true) };
}

it('streams of a deactivated user break in each of three gateways by the event, while others continue', async () => {
  const slow = await bench().stub();
  const chunk = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [] })}\n\n`;
  slow.respond({
    headers: { 'content-type': 'text/event-stream' },
    steps: [{ chunk }, { hang: true }],
  });
  await bench().provider({ slug: 'streaming', type: 'openai', stub: slow });
  const [person, other] = [await callers.person('member'), await callers.person('member')];
  const { deactivate } = await callers.managed(person);
  const open = async (caller: CallerOf): Promise<{ broken: Promise<boolean> }[]> =>
    Promise.all(gateways().map((gateway) => openStream(gateway, caller)));
  const ended = [...(await open(await userKey(person))), ...(await open(await access(person)))];
  const kept = await open(await userKey(other));
  let broken = 0;
  for (const stream of ended) void stream.broken.then((isBroken) => (broken += Number(isBroken)));
  const begunAt = performance.now();
  await deactivate();
  expect(await eventually(() => broken === ended.length)).toBe(true);
  took.push(performance.now() - begunAt);
  const waiting = Symbol('open');
  expect(await Promise.race([...kept.map(({ broken }) => broken), Promise.resolve(waiting)])).toBe(waiting);
});

describe('by events three gateways refuse', () => {
  it('session, user key and access token of a removed user', async () => {
    const person = await callers.person('member');
    await expectEnd(() => remove(`/admin/users/${person.id}`), await everythingOf(person));
  });

  it('session, user key and access token of a user whom the identity provider deactivated', async () => {
    const person = await callers.person('member');
    const { deactivate } = await callers.managed(person);
    await expectEnd(deactivate, await everythingOf(person));
  });

  it('keys, tokens of a trust and access tokens of a workspace that is archived', async () => {
    const { id } = await callers.workspace();
    await bench().provider({ slug: 'short-lived', type: 'openai', stub, workspaceId: id });
    const person = await callers.person('member', id);
    const made = [await userKey(person), await access(person), await trusted(id)];
    const ended = made.map((caller) => ({ ...caller, provider: 'short-lived' }));
    const body = { name: 'Short-lived', force_delete: true };
    const archive = { key: bench().adminKey, body };
    await expectEnd(() => bench().manage('DELETE', `/admin/workspaces/${id}`, archive), ended);
  });

  it('user key and access token of a user who left the workspace', async () => {
    const person = await callers.person('member');
    const { workspace_id: workspaceId } = bench().product.credentials;
    const ended = [await userKey(person), await access(person)];
    await expectEnd(() => remove(`/admin/workspaces/${workspaceId}/users/${person.id}`), ended);
  });

  it('user key and access token of a user whose role lost their scopes', async () => {
    const person = await callers.person('admin');
    const ended = [await userKey(person), await access(person)];
    await expectEnd(() => change(`/admin/users/${person.id}`, { role: 'member' }), ended);
  });

  it('a single sign-on session whose domain is removed', async () => {
    const person = await callers.person('member');
    const domain = await callers.signedOn(person);
    await expectEnd(() => remove(`/admin/organisation/domains/${domain}`), [session(person)]);
  });

  it('a session that logged out', async () => {
    const person = await callers.person('member');
    const headers = { authorization: `Bearer ${person.session}` };
    await expectEnd(
      () => bench().manage('POST', '/auth/logout', { key: null, headers, body: {} }),
      [session(person)],
    );
  });

  it('user and service keys that are deleted, or lose the scope', async () => {
    const person = await callers.person('member');
    for (const made of [() => userKey(person), serviceKey]) {
      const [deleted, narrowed] = [await made(), await made()];
      await expectEnd(
        () =>
          Promise.all([
            remove(`/api-keys/${deleted.id}`),
            change(`/api-keys/${narrowed.id}`, { scopes: ['logs.list'] }),
          ]),
        [deleted, narrowed],
      );
    }
  });

  it('[SCP-03] tokens of a trust that is removed, disabled, or loses the scope', async () => {
    const [removed, disabled, narrowed] = [await trusted(), await trusted(), await trusted()];
    const maps = [{ workspace: bench().product.credentials.workspace_id, scopes: ['logs.list'] }];
    await expectEnd(
      () =>
        Promise.all([
          remove(`/trusts/${removed.id}`),
          change(`/trusts/${disabled.id}`, { status: 'disabled' }),
          change(`/trusts/${narrowed.id}`, { maps }),
        ]),
      [removed, disabled, narrowed],
    );
  });

  it('access tokens that are revoked, whose refresh token was used twice, or whose grant is ended', async () => {
    const person = await callers.person('member');
    const [revoked, reused, ended] = [
      await callers.access(person),
      await callers.access(person),
      await callers.access(await callers.person('member')),
    ];
    const { data } = await bench().manage<{ data: { id: string; user_id: string }[] }>(
      'GET',
      '/admin/organisation/oauth-grants',
      { key: bench().adminKey },
    );
    const [grant] = data.filter(({ user_id }) => user_id !== person.id);
    await expectEnd(
      () =>
        Promise.all([
          callers.revoke(revoked),
          callers.reuse(reused),
          remove(`/admin/organisation/oauth-grants/${String(grant?.id)}`),
        ]),
      [revoked, reused, ended].map(({ accessToken }) => ({ kind: 'access token', credential: accessToken })),
    );
  });
});

it('three gateways learn of endings by events, not by their own checks', () => {
  expect(Math.min(...took)).toBeLessThan(BY_EVENTS_MS);
});

describe('three admin APIs', () => {
  let adminApis: FleetProcess[];
  beforeAll(async () => {
    const start = (name: string): Promise<FleetProcess> => FleetProcess.start('admin-api', bench(), name);
    adminApis = await Promise.all(['admin-two', 'admin-three'].map(start));
  });
  afterAll(() => Promise.all(adminApis.map((adminApi) => adminApi.stop())));

  /** Returns the bodies of the exchanges that returned a token, of 50 concurrent ones. */
  async function race(body: URLSearchParams): Promise<{ refresh_token: string }[]> {
    const origins = [bench().product.adminUrl, ...adminApis.map(({ origin }) => origin)];
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        // On a busy machine a request may wait too long for a connection to the database.
        eventually(async () => {
          const url = `${String(origins[at % origins.length])}/oauth/token`;
          const response = await fetch(url, { method: 'POST', body });
          expect(response.status).toBeLessThan(500);
          return response;
        }),
      ),
    );
    const bodies = await Promise.all(responses.map((response) => response.json()));
    return bodies.filter((_, at) => responses[at]?.ok) as { refresh_token: string }[];
  }

  it('[SCP-11] issue one token for 50 parallel exchanges of a code, and for 50 uses of a refresh token', async () => {
    const person = await callers.person('member');
    const token = expect.objectContaining({ refresh_token: expect.stringMatching(/^prt_/) as string });
    expect(await race(await callers.openCode(person))).toEqual([token]);
    const { clientId, refreshToken } = await callers.access(person);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId };
    expect(await race(new URLSearchParams(form))).toEqual([token]);
  });
});

describe('while Redis is down, three gateways refuse within ten seconds', () => {
  it('callers of every kind whose access has ended', async () => {
    const outage = async (): Promise<number> => {
      const person = await callers.person('member');
      const [key, trust] = [await serviceKey(), await trusted()];
      const ended = [...(await everythingOf(person)), key, trust];
      const ms = await timeOfEnd(async () => {
        await redis.kill();
        await remove(`/admin/users/${person.id}`);
        await remove(`/api-keys/${key.id}`);
        await remove(`/trusts/${trust.id}`);
      }, ended);
      await redis.start();
      return ms;
    };
    await expectEndInOutage(outage);
  });
});
