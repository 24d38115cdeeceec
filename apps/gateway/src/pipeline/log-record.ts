import type { DecisionRecord, LogRecord } from '@gw/contracts';
import { redactMetadata, redactUrl } from '@gw/telemetry';
import { valueOf } from '../http/header-rules';
import type { Answer, Upstream } from './answer';
import type { Exchange } from './exchange';

export interface RecordFacts {
  readonly gatewayId: string;
  readonly requestTruncated: boolean;
  readonly responseTruncated: boolean;
}

/** One record of what happened to a request, made once it is over. Its parts are in the order of `LogRecord`. */
export function logRecordOf(exchange: Exchange, facts: RecordFacts): LogRecord {
  const { query, url, route, failure } = exchange;
  return {
    id: exchange.id,
    createdAt: new Date(exchange.startedWallMs).toISOString(),
    ...ownerOf(exchange),
    traceId: exchange.traceId,
    spanId: exchange.spanId,
    parentSpanId: exchange.parentSpanId,
    spanName: exchange.spanName,
    method: exchange.method,
    url: query === '' ? url : redactUrl(url),
    route: route.name,
    status: exchange.status,
    outcome: exchange.outcome,
    errorType: failure === null ? null : failure.type,
    ...upstreamOf(exchange),
    streamed: exchange.streamed,
    ...moneyOf(exchange),
    configId: exchange.configSource.slug,
    configVersionId: exchange.configSource.versionId,
    cacheStatus: 'DISABLED',
    metadata: redactMetadata(exchange.metadata),
    ...timesOf(exchange),
    requestBytes: exchange.body.length,
    responseBytes: exchange.responseBytes,
    requestContentType: exchange.req.headers['content-type'] ?? null,
    responseContentType: contentTypeOf(exchange.answer),
    requestBodyTruncated: facts.requestTruncated,
    responseBodyTruncated: facts.responseTruncated,
    gatewayId: facts.gatewayId,
    decision: decisionOf(exchange),
  };
}

type Part<K extends keyof LogRecord> = Pick<LogRecord, K>;

function ownerOf({ principal }: Exchange): Part<'organisationId' | 'workspaceId' | 'apiKeyId' | 'userId'> {
  if (principal === null) return { organisationId: null, workspaceId: null, apiKeyId: null, userId: null };
  const { organisation, workspace, key } = principal;
  return { organisationId: organisation.id, workspaceId: workspace.id, apiKeyId: key.id, userId: key.userId };
}

/** Who answered; without an answer, who was tried last. */
function upstreamOf(
  exchange: Exchange,
): Part<'provider' | 'credential' | 'integrationId' | 'model' | 'responseModel' | 'targetPath' | 'retries'> {
  const last = exchange.attempts.at(-1);
  const tried = { targetPath: last?.target ?? null, retries: last?.retry ?? 0 };
  return exchange.answer === null
    ? { ...triedLast(exchange), ...tried }
    : { ...answeredBy(exchange, exchange.answer.upstream), ...tried };
}

type Answerer = Part<'provider' | 'credential' | 'integrationId' | 'model' | 'responseModel'>;

function triedLast({ attempts, scan }: Exchange): Answerer {
  const last = attempts.at(-1);
  const { provider, credential } = last ?? { provider: null, credential: null };
  return {
    provider,
    credential,
    integrationId: null,
    model: scan === null ? null : scan.model,
    responseModel: null,
  };
}

function answeredBy({ scan, meter }: Exchange, { provider, saved, model }: Upstream): Answerer {
  return {
    provider: provider.id,
    credential: saved === null ? null : saved.slug,
    integrationId: saved === null ? null : saved.integrationId,
    model: model ?? (scan === null ? null : scan.model),
    responseModel: meter === null ? null : meter.model(),
  };
}

function moneyOf({ usage, cost }: Exchange): Part<'usage' | 'cost' | 'priced'> {
  if (usage === null) return { usage, cost: null, priced: 'no_usage' };
  return { usage, cost, priced: cost === null ? 'unpriced' : 'priced' };
}

function timesOf(exchange: Exchange): Part<'durationMs' | 'firstByteMs' | 'overheadMs'> {
  const { firstByteAt, startedAt } = exchange;
  return {
    durationMs: rounded(exchange.elapsedMs()),
    firstByteMs: firstByteAt === null ? null : rounded(firstByteAt - startedAt),
    overheadMs: rounded(overheadOf(exchange)),
  };
}

/** What the stages took without their waiting: the request's body and the provider are not ours. */
function overheadOf({ stageMs, waitedMs }: Exchange): number {
  let sum = 0;
  for (const name in stageMs) if (name !== 'receive' && name !== 'reply') sum += stageMs[name] as number;
  return Math.max(0, sum - waitedMs);
}

const contentTypeOf = (answer: Answer | null): string | null =>
  answer === null ? null : (valueOf(answer.headers, 'content-type') ?? null);

const decisionOf = (exchange: Exchange): DecisionRecord => ({
  config: exchange.configSource,
  strategy: exchange.strategy,
  matchedCondition: exchange.matchedCondition,
  attempts: exchange.attempts,
  limits: exchange.limits,
  guardrails: [],
  cache: { status: 'DISABLED', key: null },
  price: exchange.price,
  stages: exchange.stageMs,
});

export const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
