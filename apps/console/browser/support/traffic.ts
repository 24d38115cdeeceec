import { eventually, type Product } from '@gw/testing';
import { chat, FALLBACK, stored, type SentRequest } from './requests';

/** Headers with request metadata by which analytics can be grouped. */
const by = (team: string): Readonly<Record<string, string>> => ({
  'x-gw-metadata': JSON.stringify({ team, _user: `${team}@example.com` }),
});

const inline = (config: object): Readonly<Record<string, string>> => ({
  'x-gw-config': JSON.stringify(config),
});

const CACHED = { provider: '@sandbox', cache: { mode: 'simple', max_age: 600 } };
const GUARDED = {
  provider: '@sandbox',
  input_guardrails: [
    {
      checks: [{ id: 'default.contains', parameters: { words: ['parrot'], operator: 'none' } }],
      deny: true,
    },
  ],
};
const LIMITED = 'sandbox-small?status=429&latency=30';
const FAILING = 'sandbox-small?status=500';

/**
 * Sends requests of every kind that the pages show: successes, errors, fallbacks, cache hits,
 * denials and reached limits. Resolves when their logs are stored.
 */
export async function sendTraffic(product: Product): Promise<void> {
  const sent: SentRequest[] = [];
  const send = async (...request: readonly [body: Body, headers: Headers]): Promise<SentRequest> => {
    const one = await chat(product, ...request);
    sent.push(one);
    return one;
  };
  const direct = { 'x-gw-provider': '@sandbox' };
  for (const [index, team] of ['search', 'support', 'search', 'billing'].entries()) {
    await send({ model: 'sandbox-small' }, { ...direct, ...by(team) });
    await send({ model: 'sandbox-large' }, { ...direct, ...by(team) });
    await send({ model: 'sandbox-small' }, { ...inline(FALLBACK), ...by(team) });
    await send({ model: 'sandbox-small', seed: index % 2 }, { ...inline(CACHED), ...by(team) });
    await send(
      { model: 'sandbox-small', messages: [{ role: 'user', content: 'Draw a parrot.' }] },
      { ...inline(GUARDED), ...by(team) },
    );
  }
  await send({ model: LIMITED }, { ...direct, ...by('search') });
  await send({ model: FAILING }, { ...direct, ...by('support') });
  await reachLimits(product, send);
  await stored(product, sent);
}

type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;
type Send = (body: Body, headers: Headers) => Promise<SentRequest>;

/**
 * Reaches the limits of two new keys: one with two requests a day, and one with a budget of a few
 * tokens, which is then shown as used up.
 */
async function reachLimits(product: Product, send: Send): Promise<void> {
  const limited = await newKey(product, 'nightly-report', {
    rate_limits: [{ type: 'requests', unit: 'rpd', value: 2 }],
  });
  await refusedBy(send, limited, 429);
  const spent = await newKey(product, 'prototype', { usage_limits: { type: 'tokens', credit_limit: 20 } });
  await refusedBy(send, spent, 412);
  await eventually(async () => (await statusOf(product, spent)) === 'exhausted');
}

interface Key {
  readonly id: string;
  readonly key: string;
}

const headersOf = ({ credentials }: Product): Headers => ({
  'content-type': 'application/json',
  authorization: `Bearer ${credentials.admin_api_key}`,
});

async function newKey(product: Product, name: string, limits: object): Promise<Key> {
  const response = await fetch(`${product.adminUrl}/v1/api-keys/workspace/service`, {
    method: 'POST',
    redirect: 'error',
    headers: headersOf(product),
    body: JSON.stringify({
      name,
      workspace_id: product.credentials.workspace_id,
      scopes: ['completions.write'],
      ...limits,
    }),
  });
  if (!response.ok) throw new Error(`No key ${name}: ${await response.text()}`);
  return (await response.json()) as Key;
}

async function statusOf(product: Product, { id }: Key): Promise<string> {
  const headers = headersOf(product);
  const response = await fetch(`${product.adminUrl}/v1/api-keys/${id}`, { redirect: 'error', headers });
  return ((await response.json()) as { status: string }).status;
}

/** Sends requests with the key until a limit refuses one. */
const refusedBy = (send: Send, { key }: Key, status: number): Promise<true> =>
  eventually(async () => {
    const headers = { 'x-gw-provider': '@sandbox', authorization: `Bearer ${key}` };
    return (await send({ model: 'sandbox-small' }, headers)).status === status;
  });
