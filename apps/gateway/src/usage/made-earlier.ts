import { ONCE_MAX, routeFamily, type Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject, CreatedObject } from '@gw/providers';
import { parseJsonObject } from '../bodies/json-body';
import type { Upstream } from '../core/upstream';
import { requestedModel } from '../core/requested-model';
import type { RequestContext } from '../core/request-context';
import { NO_USAGE, type EarlierUse } from './use';
import { plainPath } from '../routes/plain-path';
import { isAbsurd } from './absurd-use';
import { BatchOutputMeter, outputOfBatch } from './batch-output';
import { type BatchOutput, type LinePricer } from './use';
import { geminiBatch, geminiBatchesOf } from './gemini-batches';

const CHANGES = /\/(?:runs|cancel)/i;
const RESPONSES = /\/responses/i;
const BACKGROUND = Buffer.from('"background"');

/** Whether an answer may tell the use of something that another request tells of too. */
export function tellsOfOthers(
  { method, upgrade, route, url, body }: RequestContext,
  used: Usage | null,
): boolean {
  if (upgrade !== null) return false;
  if (method === 'GET') return route.call === null;
  if (routeFamily(route.kind).reportsOwnUseOnly) return false;
  const path = plainPath(url);
  if (CHANGES.test(path)) return true;
  // A body may spell its members as it likes; the answer says no use yet where it is made in the background.
  return RESPONSES.test(path) && (used === null || body.includes(BACKGROUND));
}

/** Paths whose answers may report what other requests have made. */
const REPORTS =
  /\/(?:batch(?:es)?|files|responses|runs|threads|messages|completions|conversations|operations)(?:\/|$)/i;

/** Whether a read must come whole and uncoded, since its answer may report a use: a part of it may leave that out. */
export const isReadForUse = ({ method, route }: Pick<RequestContext, 'method' | 'route'>): boolean =>
  method === 'GET' && REPORTS.test(plainPath(route.upstreamPath));

/** What is requested where such things are made, and nothing but that. */
const MAKES = /\/(?:runs|responses)$/i;
const BATCHES = /\/(?:batches|batchPredictionJobs)$/i;

const makes = ({ method, url }: RequestContext): boolean => method === 'POST' && MAKES.test(plainPath(url));

/** Whether a request can use anything: a batch holds what was not read, and a run or a saved prompt may choose its model by itself. */
export const isUnknowable = (context: RequestContext): boolean =>
  makes(context)
    ? requestedModel(context) === null
    : context.route.call?.kind === 'batch' ||
      (context.method === 'POST' && BATCHES.test(plainPath(context.url)));

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled', 'expired', 'incomplete']);
const ID_LENGTH_MAX = 256;

/**
 * The uses in an answer that are reported late: batches, runs, responses in the background, alone, as members of a list, in the
 * events of a stream, or as the lines of a batch's output. Empty: it tells none, or they have not ended.
 */
export function earlierUses(
  context: RequestContext,
  upstream: Upstream,
  price: LinePricer,
): readonly EarlierUse[] {
  const { method } = context;
  const { meter } = context.reply;
  if (meter === null || !isAnswered(context)) return [];
  const uses = new Uses(upstream, price);
  const output = method === 'GET' ? outputOfBatch(context) : null;
  const streamed = meter.made?.() ?? null;
  if (output !== null) uses.addOutput(output, meter.output?.() ?? null, meter.model());
  else if (streamed !== null) uses.addStreamed(streamed, meter.usage(), meter.model(), method === 'GET');
  else addBody(uses, meter.body?.() ?? null, meter);
  return uses.found;
}

function addBody(uses: Uses, body: Buffer | null, meter: { usage(): Usage | null }): void {
  if (body === null) return;
  const reported = objectOf(body);
  if (reported !== null) uses.addTold(reported);
  // Of a body that is too long to be kept, its beginning says what it is, and its end what it used.
  else uses.addTold(headOf(body), meter.usage());
}

const isAnswered = ({ answer }: RequestContext): boolean => answer !== null && answer.status < 400;

/** What the later answers will tell the use of that is made by a POST, whose own answer tells none yet; null: it is nothing of the kind. */
export function begunName(context: RequestContext, upstream: Upstream): string | null {
  const { meter } = context.reply;
  if (meter === null || !makes(context) || !isAnswered(context)) return null;
  const streamed = meter.made?.() ?? null;
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

  /** `answers`: how many the usage adds up. */
  private add(kind: string, id: string, usage: Usage | null, model: string | null, answers = 1): void {
    if (usage === null || isAbsurd(usage, answers) || !this.takes(id)) return;
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
    isAskedAgain: boolean,
  ): void {
    // Only what was made in the background can be requested as a stream again.
    const isLate = object === 'thread.run' || (background ?? isAskedAgain);
    if (isLate) this.add(object, id, usage, model);
  }

  /** The answers in a batch of Gemini, each at the price of its own model. */
  private addGemini(reported: JsonObject): void {
    const batch = geminiBatch(reported);
    if (batch === null) return;
    const meter = new BatchOutputMeter(this.upstream.provider, this.price);
    for (const answer of batch.answers) meter.add(answer);
    this.addOutput(batch.name, meter.output(), meter.model());
  }

  addTold(reported: JsonObject, usage: Usage | null = null): void {
    const { object, data } = reported;
    for (const batch of geminiBatchesOf(reported)) this.addGemini(batch);
    if (object === 'list' && Array.isArray(data)) {
      for (const member of data.slice(0, ONCE_MAX)) if (isObject(member)) this.addOne(member, null);
    } else this.addOne(reported, usage);
  }

  private addOne(reported: JsonObject, usage: Usage | null): void {
    const { id, object, model } = reported;
    if (!isToldLate(reported) || typeof id !== 'string') return;
    // The lines of its output tell the same use.
    const file = object === 'batch' ? reported['output_file_id'] : null;
    const name = typeof file === 'string' ? `file:${file}` : id;
    const used = usage ?? this.upstream.provider.usage(reported) ?? nothingMade(reported);
    const answers = object === 'batch' ? responsesOf(reported) : 1;
    this.add(String(object), name, used, typeof model === 'string' ? model : null, answers);
  }
}

/** Whether its use is reported by other answers than that of the request which makes it. */
const isLate = ({ object, background }: JsonObject): boolean =>
  object === 'thread.run' || (object === 'response' && background === true);

const isToldLate = (reported: JsonObject): boolean =>
  ENDED.has(reported['status']) && (reported['object'] === 'batch' || isLate(reported));

/** More than any provider takes in one batch. */
const BATCH_RESPONSES_MAX = 100_000;

/** How many answers a batch says that it has. */
function responsesOf({ request_counts: counts }: JsonObject): number {
  const total = isObject(counts) ? counts['total'] : null;
  return typeof total === 'number' && total >= 1 ? Math.min(total, BATCH_RESPONSES_MAX) : BATCH_RESPONSES_MAX;
}

/** What has failed and says no use was not made. */
const nothingMade = (reported: JsonObject): Usage | null =>
  reported['status'] === 'failed' && isLate(reported) ? NO_USAGE : null;

function objectOf(body: Buffer | null): JsonObject | null {
  try {
    return body && parseJsonObject(body);
  } catch {
    return null;
  }
}

const HEAD_BYTES = 4_096;

/** The first members of an object whose text is not whole. */
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
