/** @jest-environment node */
import { rankOf, ranked } from './hits';
import { pastedIn } from './pasted';

const ID = '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const KEY = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE';
const log = { kind: 'log', id: ID, limit: null };

describe('pastedIn', () => {
  it.each([
    [` ${ID.toUpperCase()}\n`, log],
    [`#${ID}`, log],
    [TRACE, { kind: 'trace', id: TRACE }],
    [`00-${TRACE}-00f067aa0ba902b7-01`, { kind: 'trace', id: TRACE }],
    [`{"error":{"type":"rate_limited","request_id":"${ID}"}}`, log],
    [`HTTP/1.1 429\nx-gw-request-id: ${ID}\n\n{}`, log],
    [`Error code: 429 - {'error': {'message': 'x', 'request_id': '${ID}'}}`, log],
    [`{"type":"error","error":{"type":"x"},"request_id":"${ID}"}`, log],
    ["curl https://gateway.example.com/v1/chat/completions -d '{}'", { kind: 'curl' }],
    ['aB*****1dE', { kind: 'key', masked: 'aB*****1dE' }],
    [KEY, { kind: 'key', masked: 'aB*****1dE' }],
    ['sk-proj-abcdefghijkl0123456789', { kind: 'secret' }],
    ['A'.repeat(20) + '1234567', { kind: 'secret' }],
    ['Authorization: Bearer sk-proj-ab_cdefgh-ijkl0123456789', { kind: 'secret' }],
    ['OPENAI_API_KEY=sk-proj-ab_cdefgh-ijkl0123456789', { kind: 'secret' }],
    [`@${KEY}`, { kind: 'secret' }],
    ['the ask-me-anything-of-2026 config', null],
    ['search-prod', null],
    ['operations'.repeat(4).slice(0, 32), null],
    ['ws-search-production-europe-2026-11', null],
    ['claude-3-5-sonnet-20241022', null],
    ['{"error":{"request_id":7}}', null],
    ['{broken', null],
    ['', null],
  ])('recognises %j as %j', (text, named) => {
    expect(pastedIn(text)).toEqual(named);
  });

  it('recognises a key only with the prefix of the installation', () => {
    expect(pastedIn(`tg-${KEY}`, 'tg-')).toEqual({ kind: 'key', masked: 'tg*****1dE' });
    expect(pastedIn(KEY, 'tg-')).toEqual({ kind: 'secret' });
  });

  it('reads the limit of an error body, and ignores an invalid one', () => {
    const limit = { scope: 'api_key', id: 'k-1', type: 'cost', limit: 10, used: 10, resets_at: null };
    const text = JSON.stringify({ error: { type: 'budget_exhausted', request_id: ID, limit } });
    expect(pastedIn(text)).toEqual({
      ...log,
      limit: { scope: 'api_key', id: 'k-1', type: 'cost', limit: 10, used: 10, reserved: 0, resetsAt: null },
    });
    const broken = { error: { request_id: ID, limit: { ...limit, used: 'much' } } };
    expect(pastedIn(JSON.stringify(broken))).toEqual(log);
  });
});

describe('ranking of palette rows', () => {
  it.each([
    ['search', 'search', 0],
    ['Search-prod', 'search', 1],
    ['prod-search', 'search', 2],
    ['research', 'search', 3],
    ['other', 'search', 4],
  ])('ranks %s for %s as %i', (name, text, rank) => {
    expect(rankOf(name, text)).toBe(rank);
  });

  it('sorts the best group and the best row first, by names and slugs', () => {
    const row = (label: string, hint?: string) => ({
      ...{ key: label, label, hint, icon: 'list' as const, address: '/' },
    });
    const groups = ranked(
      [
        { title: 'Keys', hits: [row('research'), row('my search')] },
        { title: 'Pages', hits: [row('search')] },
      ],
      'search',
    );
    expect(groups.map(({ title, hits }) => [title, ...hits.map(({ label }) => label)])).toEqual([
      ['Pages', 'search'],
      ['Keys', 'my search', 'research'],
    ]);
    const bySlug = ranked([{ title: 'Keys', hits: [row('my search'), row('Team', 'search')] }], 'search');
    expect(bySlug[0]?.hits.map(({ label }) => label)).toEqual(['Team', 'my search']);
  });
});
