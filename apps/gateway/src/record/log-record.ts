import type { AttemptRecord, DecisionRecord, LogRecord, ProviderDocument, Usage } from '@gw/contracts';
import { MINUTE_MS } from '@gw/kernel';
import { redactMetadata, redactUrl } from '@gw/telemetry';
import { valueOf } from '../http/header-rules';
import type { RefusedKey } from '../auth/ended-keys';
import type { RequestMcp } from '../mcp/request-mcp';
import type { GatewayPrincipal } from '../auth/principals';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import type { RequestUsage } from '../usage/request-usage';
import { cacheUseOf } from '../cache/cache-use';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import { writeDecision } from './decision';
import { JsonWriter, remembered } from './json-writer';
import { K } from './keys';
import { TIMED_STAGES } from '../core/order';

/** Facts about the end of a request that the request context does not contain. */
export interface RecordEnd {
  readonly outcome: LogRecord['outcome'];
  readonly errorType: string | null;
  /** The upstream that responded or is being called; null: see `failed`. */
  readonly upstream: Upstream | null;
  /** The last call, if there was no response. */
  readonly failed: Pick<AttemptRecord, 'provider' | 'credential'> | null;
  /** Model that the response names. */
  readonly responseModel: string | null;
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly priced: LogRecord['priced'];
  readonly targetPath: string | null;
  readonly retries: number;
  readonly requestTruncated: boolean;
  readonly responseTruncated: boolean;
  readonly gatewayId: string;
}

export type RecordFacts = Pick<
  RecordEnd,
  'gatewayId' | 'requestTruncated' | 'responseTruncated' | 'responseModel'
>;

const writer = new JsonWriter();

/**
 * Returns one `LogRecord` as JSON, at the end of a request; the buffer is valid until the next
 * call. Common default values are omitted (`completeLogRecord` restores them), because each byte is
 * written, checked, stored and sent. Writing it piece by piece, with cached parts that many
 * requests share, costs a sixth of building and serialising an object.
 */
export function logRecord(context: RequestContext, facts: RecordFacts): Buffer {
  const { response, reply, usage } = context;
  const last = context.attempts.records.at(-1);
  writeRecord(writer, context, {
    outcome: outcomeOf(reply),
    errorType: reply.failure === null ? null : reply.failure.type,
    upstream: response === null ? null : response.upstream,
    failed: response === null ? (last ?? null) : null,
    responseModel: facts.responseModel,
    usage: usage.reported,
    cost: usage.cost,
    priced: pricedOf(usage),
    targetPath: last?.target ?? null,
    retries: last?.retry ?? 0,
    requestTruncated: facts.requestTruncated,
    responseTruncated: facts.responseTruncated,
    gatewayId: facts.gatewayId,
  });
  writeDecision(writer, context);
  return writer.end();
}

function pricedOf({ reported, cost, estimatedTokens }: RequestUsage): LogRecord['priced'] {
  if (estimatedTokens !== null) return cost === null ? 'unpriced' : 'estimated';
  if (reported === null) return 'no_usage';
  return cost === null ? 'unpriced' : 'priced';
}

/** Writes a record up to its decision, which is its last member. */
export function writeRecord(w: JsonWriter, context: RequestContext, end: RecordEnd): void {
  w.begin();
  writeRequest(w, context);
  w.number(K.status, context.reply.status);
  w.text(K.outcome, end.outcome);
  if (end.errorType !== null) w.text(K.errorType, end.errorType);
  writeCalled(w, end, requestedModel(context), context.mcp);
  if (context.mcp !== null) writeMcp(w, context.mcp);
  w.text(K.responseModel, end.responseModel);
  if (context.reply.streamed) w.boolean(K.streamed, true);
  if (end.usage !== null) writeUsage(w, end.usage);
  if (end.cost !== null) w.number(K.cost, end.cost);
  w.raw(PRICED[end.priced]);
  w.text(configIds(context.configSource), end.targetPath);
  if (end.retries > 0) w.number(K.retries, end.retries);
  const cache = cacheUseOf(context);
  if (cache !== null) w.text(K.cacheStatus, cache.status);
  writeMetadata(w, context);
  writeMeasures(w, context);
  if (end.requestTruncated) w.boolean(K.requestBodyTruncated, true);
  if (end.responseTruncated) w.boolean(K.responseBodyTruncated, true);
  w.text(K.gatewayId, end.gatewayId);
}

const PRICED = { no_usage: K.noUsage, unpriced: K.unpriced, priced: K.priced, estimated: K.estimated };

function writeMeasures(w: JsonWriter, context: RequestContext): void {
  const { firstByteAt } = context.reply;
  // Read once: the overhead is a part of the duration, however long the process pauses here.
  const elapsedMs = context.elapsedMs();
  w.ms(K.durationMs, elapsedMs);
  if (firstByteAt !== null) w.ms(K.firstByteMs, firstByteAt - context.startedAt);
  w.ms(K.overheadMs, overheadOf(context, elapsedMs));
  w.number(K.requestBytes, receivedBytesOf(context));
  w.number(K.responseBytes, context.reply.bytes);
  w.text(K.requestContentType, context.req.headers['content-type'] ?? null);
  w.text(K.responseContentType, responseTypeOf(context));
}

/** Bytes received from the client: the body, in memory or spooled, or the messages of a session. */
export const receivedBytesOf = ({ body, spooled, session }: RequestContext): number =>
  body.length + (spooled?.length ?? 0) + (session?.receivedBytes ?? 0);

export function writeRequest(w: JsonWriter, context: RequestContext): void {
  const { id, traceId, spanId, parentSpanId, spanName, principal, url, query } = context;
  w.raw(K.id);
  w.ascii(id);
  w.raw(K.createdAt);
  writeTime(w, context.startedWallMs);
  w.text(principal === null ? refusedOwner(context.refusedKey) : owner(principal), traceId);
  if (spanId !== null) w.text(K.spanId, spanId);
  if (parentSpanId !== null) w.text(K.parentSpanId, parentSpanId);
  if (spanName !== null) w.text(K.spanName, spanName);
  w.raw(K.method);
  w.ascii(context.method);
  w.text(K.url, query === '' ? url : redactUrl(url));
  w.text(K.route, context.route.name);
}

let minuteAt = -1;
/** Formatted as `YYYY-MM-DDTHH:MM:`. */
let minute = '';

/**
 * Writes an ISO time. The minute is cached, because formatting a date is slow and most times are of
 * the current minute.
 */
function writeTime(w: JsonWriter, atMs: number): void {
  const inMinute = atMs % MINUTE_MS;
  if (atMs - inMinute !== minuteAt) {
    minuteAt = atMs - inMinute;
    minute = new Date(minuteAt).toISOString().slice(0, -7);
  }
  w.ascii(minute);
  w.seconds(inMinute);
}

const ownerText = (
  organisationId: string | null,
  workspaceId: string | null,
  apiKeyId: string | null,
  userId: string | null,
): string => `",${JSON.stringify({ organisationId, workspaceId, apiKeyId, userId }).slice(1, -1)},"traceId":`;

const NO_OWNER = Buffer.from(ownerText(null, null, null, null));
const refused = remembered((key: RefusedKey) => ownerText(key.organisationId, null, key.id, null));
const refusedOwner = (key: RefusedKey | null): Buffer => (key === null ? NO_OWNER : refused(key));

const owner = remembered(({ organisation, workspace, key }: GatewayPrincipal) =>
  ownerText(organisation.id, workspace.id, key.id, key.userId),
);

/**
 * Writes the provider that responded or is being called; without a response, the last one called.
 * `requested` is the model that the request names.
 */
function writeCalled(
  w: JsonWriter,
  { upstream, failed }: RecordEnd,
  requested: string | null,
  mcp: RequestMcp | null,
): void {
  if (upstream !== null) {
    writeUpstream(w, upstream.provider, upstream.saved, upstream.model ?? requested);
    return;
  }
  w.text(K.provider, failed?.provider ?? null);
  w.text(K.credential, failed?.credential ?? null);
  w.text(K.integrationId, mcp?.integrationId ?? null);
  w.text(K.model, requested);
}

/** Writes the columns of a request to an MCP server. */
export function writeMcp(w: JsonWriter, { server, method, capability }: RequestMcp): void {
  w.text(K.mcpServer, server);
  w.text(K.mcpMethod, method);
  if (capability !== null) w.text(K.mcpCapability, capability);
}

/** Writes provider, credential, integration and model of an upstream. */
export function writeUpstream(
  w: JsonWriter,
  provider: Upstream['provider'],
  saved: Upstream['saved'],
  model: string | null,
): void {
  w.text(K.provider, provider.id);
  w.text(saved === null ? K.notSaved : savedIds(saved), model);
}

const savedIds = remembered(
  ({ slug, integrationId }: ProviderDocument) =>
    `,"credential":${JSON.stringify(slug)},"integrationId":${JSON.stringify(integrationId)},"model":`,
);

function writeUsage(w: JsonWriter, usage: Usage): void {
  w.number(K.inputTokens, usage.inputTokens);
  w.number(K.outputTokens, usage.outputTokens);
  writeCount(w, K.cacheReadTokens, usage.cacheReadTokens);
  writeCount(w, K.cacheWriteTokens, usage.cacheWriteTokens);
  writeCount(w, K.cacheWrite1hTokens, usage.cacheWrite1hTokens ?? 0);
  writeCount(w, K.reasoningTokens, usage.reasoningTokens);
  writeCount(w, K.inputAudioTokens, usage.inputAudioTokens);
  writeCount(w, K.outputAudioTokens, usage.outputAudioTokens);
  w.raw(K.close);
}

function writeCount(w: JsonWriter, key: Buffer, count: number): void {
  if (count !== 0) w.number(key, count);
}

const configIds = remembered(
  ({ slug, versionId }: DecisionRecord['config']) =>
    `"configId":${JSON.stringify(slug)},"configVersionId":${JSON.stringify(versionId)},"targetPath":`,
);

/** Metadata of callers as it is written; collected with the documents of the callers. */
const metadataOfCallers = new WeakMap<Readonly<Record<string, string>>, Buffer>();

/** Writes the metadata; most requests have none, or only that of their key or token. */
export function writeMetadata(w: JsonWriter, { metadata, principal }: RequestContext): void {
  for (const _ in metadata) {
    if (metadata === principal?.key.defaults.metadata) {
      w.raw(K.metadata);
      w.raw(writtenOnce(metadata));
    } else w.json(K.metadata, redactMetadata(metadata));
    return;
  }
}

function writtenOnce(metadata: Readonly<Record<string, string>>): Buffer {
  let written = metadataOfCallers.get(metadata);
  if (written === undefined) {
    written = Buffer.from(JSON.stringify(redactMetadata(metadata)));
    metadataOfCallers.set(metadata, written);
  }
  return written;
}

const [RECEIVE, REPLY] = [TIMED_STAGES.indexOf('receive'), TIMED_STAGES.indexOf('reply')];

/**
 * Milliseconds that the gateway took, without the waits for the request's body and the provider,
 * server or agent. `elapsedMs`: since the start of the request.
 */
export function overheadOf(context: RequestContext, elapsedMs: number): number {
  const { stageMs, attempts, idempotency, mcp, agent } = context;
  if (mcp !== null || agent !== null) {
    const receiveMs = Math.max(0, stageMs[RECEIVE] ?? 0);
    return Math.max(0, elapsedMs - receiveMs - coveredMs(attempts.records));
  }
  let sum = 0;
  for (let at = 0; at < stageMs.length; at += 1) {
    const took = stageMs[at] as number;
    if (at !== RECEIVE && at !== REPLY && took > 0) sum += took;
  }
  const waitedMs = idempotency === null ? 0 : idempotency.waitedMs;
  return Math.max(0, sum - attempts.waitedMs - waitedMs);
}

/** Milliseconds in which at least one call was in flight. */
function coveredMs(calls: readonly AttemptRecord[]): number {
  let [covered, until] = [0, 0];
  const inTurn = calls.length > 1 ? calls.toSorted((a, b) => a.startedMs - b.startedMs) : calls;
  for (const { startedMs, durationMs } of inTurn) {
    const end = startedMs + durationMs;
    covered += Math.max(0, end - Math.max(until, startedMs));
    until = Math.max(until, end);
  }
  return covered;
}

const responseTypeOf = ({ response }: RequestContext): string | null =>
  response === null ? null : (valueOf(response.headers, 'content-type') ?? null);
