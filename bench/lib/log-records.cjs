'use strict';

/**
 * Log records as gateways send them: a hundred workspaces of one organisation with different use, ten members each with a key and a
 * user, ten models, one failure in twenty, an attempt, a price and a charge to the budget of the workspace; bodies of 3 KB.
 */
const { uuidv7 } = require('../../libs/kernel/src/index.ts');
const { encodeFrame } = require('../../libs/journal/src/index.ts');
const { RESPONSE, chatRequest } = require('./traffic.cjs');

const ORGANISATION = '11111111-1111-4111-8111-111111111111';
/** Number of workspaces; the first has a sixth of all logs, the last hardly any. */
const WORKSPACES = 100;
/** @param {number} n */
const workspace = (n) => `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`;
/** @param {number} n */
const key = (n) => `33333333-3333-4333-8333-${String(n).padStart(12, '0')}`;

/**
 * A random number below `count`.
 * @param {number} count
 */
const any = (count) => Math.floor(Math.random() * count);
/**
 * A random number below `count`, more often a small one.
 * @param {number} count
 */
const skewed = (count) => Math.floor(Math.random() * Math.random() * Math.random() * count);
const REQUEST = chatRequest(false);
const MONTH = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth());

/**
 * @param {number} inputTokens
 * @param {number} outputTokens
 */
const usageOf = (inputTokens, outputTokens) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
});

/** @param {{ owner: string, model: number, ok: boolean, usage: ReturnType<typeof usageOf>, durationMs: number }} call */
function decisionOf({ owner, model, ok, usage, durationMs }) {
  const lines = [
    { unit: 'input', quantity: usage.inputTokens, pricePerMillion: 15_000_000 },
    { unit: 'output', quantity: usage.outputTokens, pricePerMillion: 60_000_000 },
  ].map((line) => ({ ...line, cost: Math.round((line.quantity * line.pricePerMillion) / 1e6) }));
  const cost = lines.reduce((sum, line) => sum + line.cost, 0);
  const attempt = {
    target: 'config',
    provider: 'openai',
    credential: `main-${model}`,
    model: `model-${model}`,
  };
  const counters = [[`workspace:${owner}:cost:budget`, MONTH, 'gateway-1']];
  const tokens = usage.inputTokens + usage.outputTokens;
  const limit = { scope: 'workspace', id: owner, type: 'cost', limit: 5e15, used: 1e9, resetAt: null };
  return {
    config: { source: 'key', slug: 'pc-main', versionId: '44444444-4444-4444-8444-444444444444' },
    strategy: ['single'],
    matchedCondition: null,
    attempts: [
      {
        ...attempt,
        ...{ retry: 0, status: ok ? 200 : 500, end: ok ? 'answered' : 'status', reason: null },
        ...{ startedMs: 0.31, durationMs },
      },
    ],
    limits: [{ ...limit, verdict: 'admitted' }],
    charges: ok
      ? [{ line: 'primary', provider: 'openai', cost, tokens, requests: 1, flags: [], counters }]
      : [],
    guardrails: [],
    cache: { status: 'DISABLED', key: null },
    price: ok ? { source: 'catalogue', model: `model-${model}`, lines } : null,
    stages: { accept: 0.05, authenticate: 0.02, resolve: 0.03, admit: 0.05, attempt: durationMs, reply: 0.1 },
  };
}

/** Returns a record. `createdAt`: Unix milliseconds. */
function record(createdAt = Date.now()) {
  const [place, member, model, ok] = [skewed(WORKSPACES), any(10), skewed(10), Math.random() < 0.95];
  const usage = usageOf(any(4_000), ok ? any(800) : 0);
  const durationMs = 200 + Math.random() * 4_000;
  const owner = workspace(place);
  const decision = decisionOf({ owner, model, ok, usage, durationMs });
  return {
    id: uuidv7(),
    createdAt: new Date(createdAt).toISOString(),
    ...{ organisationId: ORGANISATION, workspaceId: owner, apiKeyId: key(place * 10 + member), userId: null },
    ...{ traceId: uuidv7(), method: 'POST', url: '/v1/chat/completions', route: 'chat.completions' },
    ...{ status: ok ? 200 : 500, outcome: ok ? 'ok' : 'provider_error' },
    ...{ provider: 'openai', credential: `main-${model}`, model: `model-${model}` },
    ...{ integrationId: null, responseModel: `model-${model}`, usage },
    cost: decision.charges[0]?.cost ?? null,
    priced: ok ? 'priced' : 'no_usage',
    ...{ configId: 'pc-main', configVersionId: null, targetPath: 'config' },
    metadata: { _user: `user-${place * 10 + member}`, team: `team-${place % 20}`, environment: 'production' },
    ...{ durationMs, firstByteMs: 180, overheadMs: 0.5, requestBytes: REQUEST.length },
    ...{ responseBytes: RESPONSE.length, requestContentType: 'application/json' },
    ...{ responseContentType: 'application/json', gatewayId: 'gateway-1', decision },
  };
}

/**
 * Returns the frame of a record, as a journal holds it.
 * @param {boolean} withBodies
 */
function frame(withBodies) {
  const [request, response] = withBodies ? [REQUEST, RESPONSE] : [null, null];
  const bytes = encodeFrame(JSON.stringify(record()), request, response);
  if (bytes === null) throw new Error('A record is larger than a frame.');
  return bytes;
}

/**
 * Returns a batch of `count` frames.
 * @param {number} count
 * @param {boolean} withBodies
 */
const batchOf = (count, withBodies) => Buffer.concat(Array.from({ length: count }, () => frame(withBodies)));

module.exports = { ORGANISATION, WORKSPACES, any, batchOf, key, record, skewed, workspace };
