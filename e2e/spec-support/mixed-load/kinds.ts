import { ANTHROPIC_COST, CLAUDE } from '../fake-anthropic';
import { bodyFor, CENT, TOKENS } from '../spending';

/** How the provider reacts to a call. */
export type ProviderBehaviour = 'sells' | 'fails once' | 'fails' | 'stalls';

export interface Kind {
  readonly name: string;
  /** Share of the calls in per cent. */
  readonly share: number;
  readonly path: '/chat/completions' | '/embeddings' | '/messages';
  /** Builds the request of the call with this name, by which the provider identifies it. */
  readonly body: (name: string) => object;
  /** Key that the call uses; absent: one of `PAYERS`. */
  readonly key?: 'exhausted' | 'limited';
  /** Provider; absent: `@sold`. */
  readonly provider?: '@claude';
  /** Saved config, instead of a provider. */
  readonly config?: 'cached' | 'guarded' | 'retried' | 'fallback';
  readonly responding?: ProviderBehaviour;
  /** Cost of a complete response in 1e-8 USD, and its tokens. */
  readonly cost: number;
  readonly tokens: number;
  /** Number of different requests of this kind; absent: every call is different. */
  readonly alike?: number;
  /** Sent twice in sequence under one `Idempotency-Key`. */
  readonly repeated?: true;
}

const EMBEDDED_TOKENS = 8;

const said = (name: string): object[] => [{ role: 'user', content: name }];
const chat = (name: string): object => ({ ...bodyFor(1), messages: said(name) });
const stream = (name: string): object => ({ ...chat(name), stream: true });
const PAID = { path: '/chat/completions', cost: CENT, tokens: TOKENS } as const;

/**
 * The mix. A call's name starts with the name of its kind, which tells the provider how to react.
 */
export const KINDS: readonly Kind[] = [
  { ...PAID, name: 'json', share: 24, body: chat },
  { ...PAID, name: 'stream', share: 18, body: stream },
  {
    name: 'embeddings',
    share: 10,
    path: '/embeddings',
    body: (name) => ({ model: 'text-embedding-3-small', input: name }),
    // Price: 0.02 USD per million tokens.
    cost: EMBEDDED_TOKENS * 2,
    tokens: EMBEDDED_TOKENS,
  },
  {
    name: 'messages',
    share: 8,
    path: '/messages',
    provider: '@claude',
    body: (name) => ({ model: CLAUDE, max_tokens: 64, messages: said(name) }),
    cost: ANTHROPIC_COST,
    tokens: 35,
  },
  { ...PAID, name: 'cached', share: 10, config: 'cached', alike: 40, body: chat },
  { ...PAID, name: 'repeated', share: 4, repeated: true, body: chat },
  { ...PAID, name: 'guarded', share: 5, config: 'guarded', body: (name) => chat(`forbidden ${name}`) },
  {
    name: 'exhausted',
    share: 4,
    path: '/chat/completions',
    key: 'exhausted',
    body: (name) => ({ ...bodyFor(100), messages: said(name) }),
    cost: 100 * CENT,
    tokens: 100 * TOKENS,
  },
  { ...PAID, name: 'limited', share: 4, key: 'limited', body: chat },
  { ...PAID, name: 'retried', share: 4, config: 'retried', responding: 'fails once', body: chat },
  { ...PAID, name: 'fallback', share: 4, config: 'fallback', body: stream },
  { ...PAID, name: 'failing', share: 4, responding: 'fails', body: chat },
  { ...PAID, name: 'left', share: 1, responding: 'stalls', body: stream },
];

/** The configs of the kinds. */
export const CONFIGS: Readonly<Record<NonNullable<Kind['config']>, object>> = {
  cached: { provider: '@sold', cache: { mode: 'simple', max_age: 86_400 } },
  guarded: {
    provider: '@sold',
    input_guardrails: [{ deny: true, 'default.contains': { operator: 'none', words: ['forbidden'] } }],
  },
  retried: { provider: '@sold', retry: { attempts: 1, on_status_codes: [500] } },
  fallback: { strategy: { mode: 'fallback' }, targets: [{ provider: '@failing' }, { provider: '@sold' }] },
};

/** The kinds in an order that mixes them evenly: call n has the kind n modulo the length. */
export const MIX: readonly Kind[] = KINDS.flatMap((kind) =>
  Array.from({ length: kind.share }, (_, at) => ({ kind, at: (at + 0.5) / kind.share })),
)
  .sort((one, other) => one.at - other.at)
  .map(({ kind }) => kind);
