import { eventually, type Product } from '@gw/testing';
import { chat, FALLBACK } from './requests';

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
 * denials and reached limits.
 */
export async function sendTraffic(product: Product): Promise<void> {
  const direct = { 'x-gw-provider': '@sandbox' };
  for (const [index, team] of ['search', 'support', 'search', 'billing'].entries()) {
    await chat(product, { model: 'sandbox-small' }, { ...direct, ...by(team) });
    await chat(product, { model: 'sandbox-large' }, { ...direct, ...by(team) });
    await chat(product, { model: 'sandbox-small' }, { ...inline(FALLBACK), ...by(team) });
    await chat(product, { model: 'sandbox-small', seed: index % 2 }, { ...inline(CACHED), ...by(team) });
    await chat(
      product,
      { model: 'sandbox-small', messages: [{ role: 'user', content: 'Draw a parrot.' }] },
      { ...inline(GUARDED), ...by(team) },
    );
  }
  await chat(product, { model: LIMITED }, { ...direct, ...by('search') });
  await chat(product, { model: FAILING }, { ...direct, ...by('support') });
  await reachLimits(product);
}

/**
 * Reaches the limits of two new keys: one with two requests a day, and one with a budget of a few
 * tokens.
 */
async function reachLimits(product: Product): Promise<void> {
  const small = { model: 'sandbox-small' };
  const limited = await newKey(product, 'nightly-report', {
    rate_limits: [{ type: 'requests', unit: 'rpd', value: 2 }],
  });
  await refusedBy(product, limited, 429, small);
  const spent = await newKey(product, 'prototype', { usage_limits: { type: 'tokens', credit_limit: 20 } });
  await refusedBy(product, spent, 412, small);
}

async function newKey(product: Product, name: string, limits: object): Promise<string> {
  const { admin_api_key, workspace_id } = product.credentials;
  const response = await fetch(`${product.adminUrl}/v1/api-keys/workspace/service`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${admin_api_key}` },
    body: JSON.stringify({ name, workspace_id, scopes: ['completions.write'], ...limits }),
  });
  if (!response.ok) throw new Error(`No key ${name}: ${await response.text()}`);
  return ((await response.json()) as { key: string }).key;
}

/** Sends requests with the key until a limit refuses one. */
const refusedBy = (
  product: Product,
  key: string,
  status: number,
  body: Readonly<Record<string, unknown>>,
): Promise<true> =>
  eventually(async () => {
    const headers = { 'x-gw-provider': '@sandbox', authorization: `Bearer ${key}` };
    return (await chat(product, body, headers)).status === status;
  });
