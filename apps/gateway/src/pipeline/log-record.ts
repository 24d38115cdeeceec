import type {
  ApiKeyDocument,
  AttemptRecord,
  DecisionRecord,
  LimitState,
  PriceLine,
  ProviderDocument,
  Usage,
} from '@gw/contracts';
import { redactMetadata, redactUrl } from '@gw/telemetry';
import { valueOf } from '../http/header-rules';
import type { Principal } from '../state/principals';
import type { Exchange } from './exchange';
import { ms, remembered, text } from './json-text';

export interface RecordFacts {
  readonly gatewayId: string;
  readonly requestTruncated: boolean;
  readonly responseTruncated: boolean;
  /** Model that the answer names. */
  readonly responseModel: string | null;
}

/**
 * One `LogRecord` as JSON, made once a request is over. It is put together as text, with the parts that many requests share
 * kept ready: building the object and serialising it costs four times as much.
 */
export function logRecordText(exchange: Exchange, facts: RecordFacts): string {
  const { query, url, failure, usage, cost, firstByteAt, principal, configSource } = exchange;
  const last = exchange.attempts.at(-1);
  return (
    `{"id":"${exchange.id}","createdAt":"${isoOf(exchange.startedWallMs)}",` +
    (principal === null ? refusedText(exchange.refusedKey) : ownerText(principal)) +
    `"traceId":${text(exchange.traceId)},"spanId":${text(exchange.spanId)},` +
    `"parentSpanId":${text(exchange.parentSpanId)},"spanName":${text(exchange.spanName)},` +
    `"method":${text(exchange.method)},"url":${text(query === '' ? url : redactUrl(url))},` +
    `"route":"${exchange.route.name}","status":${String(exchange.status)},"outcome":"${exchange.outcome}",` +
    `"errorType":${failure === null ? 'null' : `"${failure.type}"`},` +
    answererText(exchange) +
    `"responseModel":${text(facts.responseModel)},"streamed":${String(exchange.streamed)},` +
    `"usage":${usageText(usage)},"cost":${String(cost)},"priced":"${pricedOf(usage, cost)}",` +
    `"configId":${text(configSource.slug)},"configVersionId":${text(configSource.versionId)},` +
    `"targetPath":${text(last?.target ?? null)},"retries":${String(last?.retry ?? 0)},"cacheStatus":"DISABLED",` +
    `"metadata":${metadataText(exchange.metadata)},"durationMs":${ms(exchange.elapsedMs())},` +
    `"firstByteMs":${ms(firstByteAt === null ? null : firstByteAt - exchange.startedAt)},` +
    `"overheadMs":${ms(overheadOf(exchange))},` +
    `"requestBytes":${String(exchange.body.length + exchange.receivedBytes)},` +
    `"responseBytes":${String(exchange.responseBytes)},` +
    `"requestContentType":${text(exchange.req.headers['content-type'] ?? null)},` +
    `"responseContentType":${text(responseTypeOf(exchange))},` +
    `"requestBodyTruncated":${String(facts.requestTruncated)},` +
    `"responseBodyTruncated":${String(facts.responseTruncated)},"gatewayId":${text(facts.gatewayId)},` +
    `"decision":${decisionText(exchange)}}`
  );
}

let isoAt = -1;
let iso = '';
/** Many requests start within one millisecond. */
function isoOf(atMs: number): string {
  if (atMs !== isoAt) {
    isoAt = atMs;
    iso = new Date(atMs).toISOString();
  }
  return iso;
}

const NOBODY = '"organisationId":null,"workspaceId":null,"apiKeyId":null,"userId":null,';

const refusedText = (key: ApiKeyDocument | null): string =>
  key === null
    ? NOBODY
    : `"organisationId":${text(key.organisationId)},"workspaceId":null,"apiKeyId":${text(key.id)},"userId":null,`;

const ownerText = remembered(
  ({ organisation, workspace, key }: Principal) =>
    `"organisationId":${text(organisation.id)},"workspaceId":${text(workspace.id)},` +
    `"apiKeyId":${text(key.id)},"userId":${text(key.userId)},`,
);

/** Who answered; without an answer, who was tried last. */
function answererText({ answer, attempts, scan }: Exchange): string {
  const asked = scan === null ? null : scan.model;
  if (answer === null) {
    const { provider = null, credential = null } = attempts.at(-1) ?? {};
    return `"provider":${text(provider)},"credential":${text(credential)},"integrationId":null,"model":${text(asked)},`;
  }
  const { provider, saved, model } = answer.upstream;
  return `"provider":"${provider.id}",${saved === null ? NOT_SAVED : savedText(saved)}"model":${text(model ?? asked)},`;
}

const NOT_SAVED = '"credential":null,"integrationId":null,';
const savedText = remembered(
  ({ slug, integrationId }: ProviderDocument) =>
    `"credential":${text(slug)},"integrationId":${text(integrationId)},`,
);

const usageText = (usage: Usage | null): string => (usage === null ? 'null' : JSON.stringify(usage));

const pricedOf = (usage: Usage | null, cost: number | null): string =>
  usage === null ? 'no_usage' : cost === null ? 'unpriced' : 'priced';

/** Most requests carry none. */
function metadataText(metadata: Readonly<Record<string, string>>): string {
  for (const _ in metadata) return JSON.stringify(redactMetadata(metadata));
  return '{}';
}

/** What the stages took without their waiting: the request's body and the provider are not ours. */
function overheadOf({ stageMs, waitedMs }: Exchange): number {
  let sum = 0;
  for (const name in stageMs) if (name !== 'receive' && name !== 'reply') sum += stageMs[name] as number;
  return Math.max(0, sum - waitedMs);
}

const responseTypeOf = ({ answer }: Exchange): string | null =>
  answer === null ? null : (valueOf(answer.headers, 'content-type') ?? null);

function decisionText(exchange: Exchange): string {
  const { strategy, matchedCondition, attempts, limits, price, session } = exchange;
  return (
    `{"config":${configText(exchange.configSource)},"strategy":${strategy.length === 0 ? '[]' : trailText(strategy)},` +
    `"matchedCondition":${text(matchedCondition)},"attempts":${listText(attempts, attemptText)},` +
    `"limits":${listText(limits, limitText)},"guardrails":[],"cache":{"status":"DISABLED","key":null},` +
    `"price":${price === null ? 'null' : priceText(price)},` +
    (session === null ? '' : `"session":${JSON.stringify(session)},`) +
    `"stages":${stagesText(exchange.stageMs)}}`
  );
}

const configText = remembered((source: DecisionRecord['config']) => JSON.stringify(source));
const trailText = (trail: readonly string[]): string => listText(trail, text);

function listText<T>(items: readonly T[], each: (item: T) => string): string {
  if (items.length === 0) return '[]';
  let list = `[${each(items[0] as T)}`;
  for (let i = 1; i < items.length; i += 1) list += `,${each(items[i] as T)}`;
  return `${list}]`;
}

const attemptText = (attempt: AttemptRecord): string =>
  `{"target":${text(attempt.target)},"provider":${text(attempt.provider)},"credential":${text(attempt.credential)},` +
  `"model":${text(attempt.model)},"retry":${String(attempt.retry)},"status":${String(attempt.status)},` +
  `"end":"${attempt.end}","reason":${text(attempt.reason)},"startedMs":${ms(attempt.startedMs)},` +
  `"durationMs":${ms(attempt.durationMs)}}`;

const limitText = (state: LimitState): string =>
  `{"scope":"${state.scope}","id":${text(state.id)},"type":${text(state.type)},"limit":${String(state.limit)},` +
  `"used":${String(state.used)},"resetAt":${text(state.resetAt)},"verdict":"${state.verdict}"}`;

const priceText = ({ source, model, lines }: NonNullable<DecisionRecord['price']>): string =>
  `{"source":${text(source)},"model":${text(model)},"lines":${listText(lines, lineText)}}`;

const lineText = ({ unit, quantity, pricePerMillion, cost }: PriceLine): string =>
  `{"unit":${text(unit)},"quantity":${String(quantity)},"pricePerMillion":${String(pricePerMillion)},"cost":${String(cost)}}`;

function stagesText(stageMs: Readonly<Record<string, number>>): string {
  let stages = '';
  for (const name in stageMs) stages += `${stages === '' ? '' : ','}"${name}":${ms(stageMs[name] as number)}`;
  return `{${stages}}`;
}
