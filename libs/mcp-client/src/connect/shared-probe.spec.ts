import { Shares } from '@gw/kernel';
import type { ServerResponse } from 'node:http';
import { closedAfterEach, failureOf, json, result, until, type Received } from '../spec-support/fixture';
import { modernServer } from '../spec-support/modern-server';
import { EraVerdicts } from './era-verdicts';

const { serve, upstream } = closedAfterEach();
const SESSIONS = 20;
const DISCOVERED = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };

/** Starts a server whose responses to `server/discover` the test sends. */
async function heldServer() {
  const probes: { readonly received: Received; readonly res: ServerResponse }[] = [];
  const { url } = await serve(
    modernServer({
      'server/discover': (received, res) => void probes.push({ received, res }),
      'tools/call': (received, res) => json(res, result(received, { content: [] })),
    }),
  );
  return { url, probes };
}

describe('shared probe for the era of a server', () => {
  it('runs once for all sessions that open at the same time', async () => {
    const { url, probes } = await heldServer();
    const verdicts = new EraVerdicts();
    const upstreams = Array.from({ length: SESSIONS }, () => upstream(url, { verdicts }));
    const calls = upstreams.map((each) => each.request('tools/call', { name: 'a' }));
    const over = Promise.all(calls);
    await until(() => probes.length > 0);
    for (const { received, res } of probes) json(res, result(received, DISCOVERED));
    expect(await over).toHaveLength(SESSIONS);
    expect(probes).toHaveLength(1);
  });

  it('runs once for each class of credentials, so that none gets the refusal of another', async () => {
    const { url, probes } = await heldServer();
    const verdicts = new EraVerdicts();
    const calls = ['one', 'two'].map((poolClass) =>
      upstream(url, { verdicts, poolClass }).request('tools/call', { name: 'a' }),
    );
    await until(() => probes.length === 2);
    const [refused, allowed] = probes as [(typeof probes)[0], (typeof probes)[0]];
    json(refused.res, {}, 401);
    json(allowed.res, result(allowed.received, DISCOVERED));
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('runs again for callers with memory if the workspace of the first caller has none', async () => {
    const { url, probes } = await heldServer();
    const verdicts = new EraVerdicts();
    const memory = new Shares(1).of('workspace', 'organisation');
    const failed = failureOf(upstream(url, { verdicts, memory }).request('tools/call', { name: 'a' }));
    const call = upstream(url, { verdicts }).request('tools/call', { name: 'a' });
    for (const at of [0, 1]) {
      await until(() => probes.length > at);
      const { received, res } = probes[at] as (typeof probes)[0];
      json(res, result(received, DISCOVERED));
    }
    expect(await failed).toMatchObject({ kind: 'no_memory' });
    expect(await call).toMatchObject({ content: [] });
  });

  it('runs again after a failed probe', async () => {
    const { url, probes } = await heldServer();
    const verdicts = new EraVerdicts();
    const failed = failureOf(upstream(url, { verdicts }).request('tools/call', { name: 'a' }));
    await until(() => probes.length === 1);
    json((probes[0] as (typeof probes)[0]).res, {}, 503);
    expect(await failed).toMatchObject({ status: 503 });
    const call = upstream(url, { verdicts }).request('tools/call', { name: 'a' });
    await until(() => probes.length === 2);
    const { received, res } = probes[1] as (typeof probes)[0];
    json(res, result(received, DISCOVERED));
    expect(await call).toMatchObject({ content: [] });
  });
});
