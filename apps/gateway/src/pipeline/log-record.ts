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
import { ms, nameText, remembered, text } from './json-text';
import { TIMED_STAGES } from './pipeline';

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
    `"traceId":${exchange.traceId === exchange.id ? `"${exchange.id}"` : text(exchange.traceId)},${spanText(exchange)}` +
    `"method":"${exchange.method}","url":${query === '' ? nameText(url) : text(redactUrl(url))},` +
    `"route":"${exchange.route.name}","status":${String(exchange.status)},"outcome":"${exchange.outcome}",` +
    `"errorType":${failure === null ? 'null' : `"${failure.type}"`},` +
    answererText(exchange) +
    `"responseModel":${nameText(facts.responseModel)},"streamed":${String(exchange.streamed)},` +
    `"usage":${usageText(usage)},"cost":${String(cost)},"priced":"${pricedOf(usage, cost)}",` +
    `${configIdText(configSource)}"targetPath":${nameText(last?.target ?? null)},"retries":${String(last?.retry ?? 0)},"cacheStatus":"DISABLED",` +
    `"metadata":${metadataText(exchange.metadata)},"durationMs":${ms(exchange.elapsedMs())},` +
    `"firstByteMs":${ms(firstByteAt === null ? null : firstByteAt - exchange.startedAt)},` +
    `"overheadMs":${ms(overheadOf(exchange))},` +
    `"requestBytes":${String(exchange.body.length + exchange.receivedBytes)},` +
    `"responseBytes":${String(exchange.responseBytes)},` +
    `"requestContentType":${nameText(exchange.req.headers['content-type'] ?? null)},` +
    `"responseContentType":${nameText(responseTypeOf(exchange))},` +
    `"requestBodyTruncated":${String(facts.requestTruncated)},` +
    `"responseBodyTruncated":${String(facts.responseTruncated)},"gatewayId":${nameText(facts.gatewayId)},` +
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
  return `"provider":"${provider.id}",${saved === null ? NOT_SAVED : savedText(saved)}"model":${nameText(model ?? asked)},`;
}

const NOT_SAVED = '"credential":null,"integrationId":null,';
const savedText = remembered(
  ({ slug, integrationId }: ProviderDocument) =>
    `"credential":${text(slug)},"integrationId":${text(integrationId)},`,
);

const NO_SPAN = '"spanId":null,"parentSpanId":null,"spanName":null,';

/** Most requests name a trace at most. */
const spanText = ({ spanId, parentSpanId, spanName }: Exchange): string =>
  spanId === null && parentSpanId === null && spanName === null
    ? NO_SPAN
    : `"spanId":${text(spanId)},"parentSpanId":${text(parentSpanId)},"spanName":${text(spanName)},`;

const configIdText = remembered(
  ({ slug, versionId }: DecisionRecord['config']) =>
    `"configId":${text(slug)},"configVersionId":${text(versionId)},`,
);

const usageText = (usage: Usage | null): string => (usage === null ? 'null' : JSON.stringify(usage));

const pricedOf = (usage: Usage | null, cost: number | null): string =>
  usage === null ? 'no_usage' : cost === null ? 'unpriced' : 'priced';

/** Most requests carry none. */
function metadataText(metadata: Readonly<Record<string, string>>): string {
  for (const _ in metadata) return JSON.stringify(redactMetadata(metadata));
  return '{}';
}

const [RECEIVE, REPLY] = [TIMED_STAGES.indexOf('receive'), TIMED_STAGES.indexOf('reply')];

/** What the stages took without their waiting: the request's body and the provider are not ours. */
function overheadOf({ stageMs, waitedMs }: Exchange): number {
  let sum = 0;
  for (let at = 0; at < stageMs.length; at += 1) {
    const took = stageMs[at] as number;
    if (at !== RECEIVE && at !== REPLY && took > 0) sum += took;
  }
  return Math.max(0, sum - waitedMs);
}

const responseTypeOf = ({ answer }: Exchange): string | null =>
  answer === null ? null : (valueOf(answer.headers, 'content-type') ?? null);

function decisionText(exchange: Exchange): string {
  const { strategy, matchedCondition, attempts, limits, price, session, prompt } = exchange;
  return (
    `{"config":${configText(exchange.configSource)},"strategy":${strategy.length === 0 ? '[]' : trailText(strategy)},` +
    `"matchedCondition":${text(matchedCondition)},"attempts":${listText(attempts, attemptText)},` +
    `"limits":${listText(limits, limitText)},"guardrails":[],"cache":{"status":"DISABLED","key":null},` +
    `"price":${price === null ? 'null' : priceText(price)},` +
    (session === null ? '' : `"session":${JSON.stringify(session)},`) +
    (prompt === null ? '' : `"prompt":${JSON.stringify(prompt)},`) +
    `"stages":${stagesText(exchange.stageMs)}}`
  );
}

const configText = remembered((source: DecisionRecord['config']) => JSON.stringify(source));
const trailText = (trail: readonly string[]): string => listText(trail, nameText);

function listText<T>(items: readonly T[], each: (item: T) => string): string {
  if (items.length === 0) return '[]';
  let list = `[${each(items[0] as T)}`;
  for (let i = 1; i < items.length; i += 1) list += `,${each(items[i] as T)}`;
  return `${list}]`;
}

const attemptText = (attempt: AttemptRecord): string =>
  `{"target":${nameText(attempt.target)},"provider":${nameText(attempt.provider)},"credential":${nameText(attempt.credential)},` +
  `"model":${nameText(attempt.model)},"retry":${String(attempt.retry)},"status":${String(attempt.status)},` +
  `"end":"${attempt.end}","reason":${text(attempt.reason)},"startedMs":${ms(attempt.startedMs)},` +
  `"durationMs":${ms(attempt.durationMs)}}`;

const limitText = (state: LimitState): string =>
  `{"scope":"${state.scope}","id":${nameText(state.id)},"type":${nameText(state.type)},"limit":${String(state.limit)},` +
  `"used":${String(state.used)},"resetAt":"${state.resetAt}","verdict":"${state.verdict}"}`;

const priceText = ({ source, model, lines }: NonNullable<DecisionRecord['price']>): string =>
  `{"source":${nameText(source)},"model":${nameText(model)},"lines":${listText(lines, lineText)}}`;

const lineText = ({ unit, quantity, pricePerMillion, cost }: PriceLine): string =>
  `{"unit":"${unit}","quantity":${String(quantity)},"pricePerMillion":${String(pricePerMillion)},"cost":${String(cost)}}`;

const STAGE_KEYS = TIMED_STAGES.map((name) => `"${name}":`);

function stagesText(stageMs: readonly number[]): string {
  let stages = '';
  for (let at = 0; at < stageMs.length; at += 1) {
    const took = stageMs[at] as number;
    if (took >= 0) stages += (stages === '' ? '' : ',') + (STAGE_KEYS[at] as string) + ms(took);
  }
  return `{${stages}}`;
}
