import { ONCE_MAX, routeFamily, type Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject, CreatedObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import type { RequestContext } from '../core/request-context';
import { NO_USAGE, type EarlierUse } from './use';
import { plainPath } from '../routes/plain-path';
import { isImplausible } from './absurd-use';
import { BatchOutputMeter, outputOfBatch } from './batch-output';
import { type BatchOutput, type LinePricer } from './use';
import { geminiBatch, geminiBatchesOf } from './gemini-batches';

const CHANGES = /\/(?:runs|cancel)/i;
const RESPONSES = /\/responses/i;
const BACKGROUND = Buffer.from('"background"');

/**
 * Whether a response may report usage that responses to other requests report too; see
 * `EarlierUse`.
 */
export function mayReportEarlierWork(
  { method, upgrade, route, url, body }: RequestContext,
  used: Usage | null,
): boolean {
  if (upgrade !== null) return false;
  if (method === 'GET') return route.call === null;
  if (routeFamily(route.kind).reportsOwnUseOnly) return false;
  const path = plainPath(url);
  if (CHANGES.test(path)) return true;
  // Members of a body can be escaped in many ways, so a response without usage counts too:
  // background work has none yet.
  return RESPONSES.test(path) && (used === null || body.includes(BACKGROUND));
}

/** Paths whose responses may report work of other requests. */
const REPORTS =
  /\/(?:batch(?:es)?|files|responses|runs|threads|messages|completions|conversations|operations)(?:\/|$)/i;

/**
 * Whether a read must be requested complete and uncoded, because its response may report usage that
 * a part of it could omit.
 */
export const isReadForUse = ({ method, route }: Pick<RequestContext, 'method' | 'route'>): boolean =>
  method === 'GET' && REPORTS.test(plainPath(route.upstreamPath));

/** Paths whose POST creates work that later responses report, and nothing else. */
const CREATES = /\/(?:runs|responses)$/i;
const BATCHES = /\/(?:batches|batchPredictionJobs)$/i;

const createsWork = ({ method, url }: RequestContext): boolean =>
  method === 'POST' && CREATES.test(plainPath(url));

/**
 * Whether the usage of a request cannot be estimated: a batch contains unread requests, and a run
 * or a saved prompt may choose its own model.
 */
export const isUnknowable = (context: RequestContext): boolean =>
  createsWork(context)
    ? requestedModel(context) === null
    : context.route.call?.kind === 'batch' ||
      (context.method === 'POST' && BATCHES.test(plainPath(context.url)));

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled', 'expired', 'incomplete']);
const ID_LENGTH_MAX = 256;

/**
 * Returns the usage in a response that belongs to earlier requests: of batches, runs and background
 * responses, as a single object, as members of a list, in stream events, or as lines of a batch's
 * output. Returns an empty list when the response reports none or the work has not ended.
 */
export function earlierUses(
  context: RequestContext,
  upstream: Upstream,
  price: LinePricer,
): readonly EarlierUse[] {
  const { method } = context;
  const { meter } = context.reply;
  if (meter === null || !isResponded(context)) return [];
  const uses = new Uses(upstream, price);
  const output = method === 'GET' ? outputOfBatch(context) : null;
  const streamed = meter.createdObject?.() ?? null;
  if (output !== null) uses.addOutput(output, meter.output?.() ?? null, meter.model());
  else if (streamed !== null) uses.addStreamed(streamed, meter.usage(), meter.model(), method === 'GET');
  else addBody(uses, meter.body?.() ?? null, meter);
  return uses.found;
}

function addBody(uses: Uses, body: Buffer | null, meter: { usage(): Usage | null }): void {
  if (body === null) return;
  const reported = objectOf(body);
  if (reported !== null) uses.addReported(reported);
  // If the body is too long to be kept, its start identifies the object and its end has the usage.
  else uses.addReported(headOf(body), meter.usage());
}

const isResponded = ({ response }: RequestContext): boolean => response !== null && response.status < 400;

/**
 * Returns the name under which later responses report the usage of work that a POST creates, when
 * its own response reports none yet; null when it creates no such work.
 */
export function createdWorkName(context: RequestContext, upstream: Upstream): string | null {
  const { meter } = context.reply;
  if (meter === null || !createsWork(context) || !isResponded(context)) return null;
  const streamed = meter.createdObject?.() ?? null;
  const reported = streamed === null ? objectOf(meter.body?.() ?? null) : { ...streamed };
  if (reported === null || !isLate(reported)) return null;
  const { id, object } = reported;
  return isId(id) ? nameOf(upstream, String(object), id) : null;
}

const isId = (id: unknown): id is string => typeof id === 'string' && id.length <= ID_LENGTH_MAX;

const nameOf = ({ provider, saved }: Upstream, kind: string, id: string): string =>
  `${kind} ${saved?.integrationId ?? provider.id} ${id}`;

class Uses {
  readonly found: EarlierUse[] = [];

  constructor(
    private readonly upstream: Upstream,
    private readonly price: LinePricer,
  ) {}

  /** `responses`: number of responses that the usage adds up. */
  private add(kind: string, id: string, usage: Usage | null, model: string | null, responses = 1): void {
    if (usage === null || isImplausible(usage, responses) || !this.takes(id)) return;
    this.found.push({ once: nameOf(this.upstream, kind, id), isBatch: kind === 'batch', usage, model });
  }

  addOutput(id: string, output: BatchOutput | null, model: string | null): void {
    if (output === null || !this.takes(id)) return;
    const { usage } = output;
    this.found.push({ once: nameOf(this.upstream, 'batch', id), isBatch: true, usage, model, output });
  }

  private takes(id: string): boolean {
    return id.length <= ID_LENGTH_MAX && this.found.length < ONCE_MAX;
  }

  addStreamed(
    { object, id, background }: CreatedObject,
    usage: Usage | null,
    model: string | null,
    isReadAgain: boolean,
  ): void {
    // Only background work can be requested as a stream again.
    const isLate = object === 'thread.run' || (background ?? isReadAgain);
    if (isLate) this.add(object, id, usage, model);
  }

  /** Adds the responses in a Gemini batch, each at the price of its own model. */
  private addGemini(reported: JsonObject): void {
    const batch = geminiBatch(reported);
    if (batch === null) return;
    const meter = new BatchOutputMeter(this.upstream.provider, this.price);
    for (const response of batch.responses) meter.add(response);
    this.addOutput(batch.name, meter.output(), meter.model());
  }

  addReported(reported: JsonObject, usage: Usage | null = null): void {
    const { object, data } = reported;
    for (const batch of geminiBatchesOf(reported)) this.addGemini(batch);
    if (object === 'list' && Array.isArray(data)) {
      for (const member of data.slice(0, ONCE_MAX)) if (isObject(member)) this.addOne(member, null);
    } else this.addOne(reported, usage);
  }

  private addOne(reported: JsonObject, usage: Usage | null): void {
    const { id, object, model } = reported;
    if (!isReportedLate(reported) || typeof id !== 'string') return;
    // The lines of its output report the same usage.
    const file = object === 'batch' ? reported['output_file_id'] : null;
    const name = typeof file === 'string' ? `file:${file}` : id;
    const used = usage ?? this.upstream.provider.usage(reported) ?? usageOfFailed(reported);
    const responses = object === 'batch' ? responsesOf(reported) : 1;
    this.add(String(object), name, used, typeof model === 'string' ? model : null, responses);
  }
}

/** Whether later responses report the usage, rather than the response that creates the work. */
const isLate = ({ object, background }: JsonObject): boolean =>
  object === 'thread.run' || (object === 'response' && background === true);

const isReportedLate = (reported: JsonObject): boolean =>
  ENDED.has(reported['status']) && (reported['object'] === 'batch' || isLate(reported));

/** More than any provider accepts in one batch. */
const BATCH_RESPONSES_MAX = 100_000;

/** Returns the number of responses that a batch reports. */
function responsesOf({ request_counts: counts }: JsonObject): number {
  const total = isObject(counts) ? counts['total'] : null;
  return typeof total === 'number' && total >= 1 ? Math.min(total, BATCH_RESPONSES_MAX) : BATCH_RESPONSES_MAX;
}

/** Returns zero usage for failed work that reports none. */
const usageOfFailed = (reported: JsonObject): Usage | null =>
  reported['status'] === 'failed' && isLate(reported) ? NO_USAGE : null;

function objectOf(body: Buffer | null): JsonObject | null {
  try {
    return body && parseJsonObject(body);
  } catch {
    return null;
  }
}

const HEAD_BYTES = 4_096;

/** Returns the first members of an object whose text is incomplete. */
function headOf(body: Buffer): JsonObject {
  const head = body.toString('utf8', 0, HEAD_BYTES);
  return {
    id: /"id"\s*:\s*"([^"\\]*)"/.exec(head)?.[1],
    object: /"object"\s*:\s*"([^"\\]*)"/.exec(head)?.[1],
    status: /"status"\s*:\s*"([^"\\]*)"/.exec(head)?.[1],
    model: /"model"\s*:\s*"([^"\\]*)"/.exec(head)?.[1],
    background: /"background"\s*:\s*true/.test(head),
  };
}
