import type { Product } from '@gw/testing';
import { chat, FALLBACK } from './requests';

/** Metadata of a request, by which analytics are grouped. */
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

/** Sends requests of every kind that the pages show: answers, faults, fallbacks, hits of the cache and denials. */
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
}
