import { performance } from 'node:perf_hooks';
import type { LogRecord, Usage } from '@gw/contracts';
import type { FrameBody, Journal } from '@gw/journal';
import type { TargetStatistics } from '@gw/routing';
import type { Accounts } from '../limits/accounts';
import { isAbsurd } from '../usage/absurd-use';
import type { BatchOutput, LinePricer, TargetPricer } from '../usage/use';
import type { ChargesAlone } from '../record/charges-alone';
import { begunName, earlierUses, tellsOfOthers } from '../usage/made-earlier';
import { type EarlierUse } from '../usage/use';
import type { SessionParts } from '../usage/use';
import type { Upstream } from './upstream';
import type { RequestContext } from './request-context';
import type { CacheUse } from '../cache/cache-use';
import { addExtraUse } from '../usage/extra-use';
import { NO_USAGE, sumOf } from '../usage/use';
import type { RequestGuardrails } from '../guardrails/request-guardrails';
import type { RequestMetrics } from '../metrics/request-metrics';
import { logRecord, overheadOf } from '../record/log-record';
import { isRefused, type RefusedRequests } from '../record/refused-requests';
import { SETTLE_STAGE } from './pipeline';
import { NOT_NOTED, type InFlightLog } from '../in-flight/in-flight-log';

export interface SettlementOptions {
  readonly gatewayId: string;
  /** Bytes of each body that the log keeps. */
  readonly bodyMaxBytes: number;
  /** Null: metrics are off, so nothing is counted. */
  readonly metrics: RequestMetrics | null;
  /** Takes the charges of a record that the journal could not keep; null: they are lost with it. */
  readonly chargesAlone: Pick<ChargesAlone, 'keep'> | null;
  /** Decides whether a request without a usable key gets a record. */
  readonly refused: RefusedRequests;
  /** Which a request leaves with its record. */
  readonly inFlight: Pick<InFlightLog, 'end'>;
}

/** The last stage: what was used, what it cost, one log record. Runs once for every request, whatever became of it. */
export class Settlement {
  readonly refused: RefusedRequests;

  constructor(
    private readonly journal: Journal,
    private readonly accounts: Accounts,
    private readonly pricer: TargetPricer,
    private readonly statistics: TargetStatistics,
    private readonly options: SettlementOptions,
  ) {
    this.refused = options.refused;
  }

  readonly settle = (context: RequestContext, onDurable: () => void): void => {
    if (context.settled) {
      onDurable();
      return;
    }
    context.settled = true;
    const preparing = preparationOf(context);
    if (preparing === undefined) this.finish(context, onDurable);
    else
      void preparing.then(() => {
        this.finish(context, onDurable);
      });
  };

  /**
   * For a call that a check has made: its cost is among the charges of its request, or, once the record of that is written or
   * has as many of them as it takes, in a record of its own.
   */
  readonly settleCheck = (
    context: RequestContext,
    request: RequestContext,
    used: Usage | null,
    responseModel: string | null,
  ): void => {
    context.settled = true;
    this.account(context, used, responseModel);
    if (request.settled || (request.charges?.length ?? 0) >= CHECK_CHARGES_MAX) {
      if (context.attempts.length > 0) this.record(context, responseModel, NOTHING);
      else this.options.inFlight.end(context);
      return;
    }
    if (context.notedBytes !== NOT_NOTED) request.checks = [...request.checks, context];
    for (const charge of context.charges ?? []) {
      // What failed and cost nothing is no line of a bill.
      if (charge.cost !== 0 || charge.tokens !== 0) (request.charges ??= []).push(charge);
    }
  };

  private finish(context: RequestContext, onDurable: () => void): void {
    const startedAt = performance.now();
    const responseModel = context.meter?.model() ?? null;
    this.account(context, context.meter?.usage() ?? null, responseModel);
    context.stageMs[SETTLE_STAGE] = performance.now() - startedAt;
    if (isRefused(context) && !this.refused.admits(context)) {
      this.options.inFlight.end(context);
      onDurable();
    } else this.record(context, responseModel, onDurable);
    const { metrics } = this.options;
    if (metrics !== null) metrics.count(context, overheadOf(context));
    context.firstAnswer?.settle(context);
    context.answer?.cache?.settle();
    context.giveBack();
  }

  private record(context: RequestContext, responseModel: string | null, onDurable: () => void): void {
    const { reply, principal, gw } = context;
    const { bodyMaxBytes, gatewayId } = this.options;
    const keep = principal !== null && principal.logBodies && gw.logBodies;
    const record = logRecord(context, {
      gatewayId,
      requestTruncated: (keep && context.body.length > bodyMaxBytes) || context.spooled !== null,
      responseTruncated: keep && reply !== null && (reply.truncated || reply.keptBytes > bodyMaxBytes),
      responseModel,
    });
    const request = keep ? clipped(context.body, bodyMaxBytes) : null;
    const response = keep && reply ? clippedAll(reply.kept, reply.keptBytes, bodyMaxBytes) : null;
    this.amendLater(context.guarding, record);
    this.keep(record, request, response, onDurable);
    this.options.inFlight.end(context);
  }

  /** What the journal has no room for loses its texts, and is charged all the same. */
  private keep(record: Buffer, request: FrameBody, response: FrameBody, onDurable: () => void): void {
    const isKept = this.journal.append(record, request, response, onDurable);
    if (!isKept) this.options.chargesAlone?.keep(record);
  }

  /** The record once more, with the verdicts that come after the answer has left. Its bodies are there already. */
  private amendLater(guarding: RequestGuardrails | null, record: Buffer): void {
    if (guarding?.late.isIncomplete !== true) return;
    const { late, records } = guarding;
    // The record's buffer is that of the next one.
    const first = record.toString('utf8');
    late.whenComplete(() => {
      const { decision, ...rest } = JSON.parse(first) as LogRecord;
      const amended: LogRecord = { ...rest, amends: true, decision: { ...decision, guardrails: records } };
      this.journal.append(JSON.stringify(amended), null, null, () => undefined);
    });
  }

  /** For strategies that choose by load or cost. */
  private measure(context: RequestContext, endpoint: string): void {
    context.busyEndpoint = null;
    this.statistics.ended(endpoint);
    // Cached and shared answers say nothing about a target's cost, so they are not recorded.
    if (context.cost !== null && context.answer?.cache?.isFree !== true)
      this.statistics.cost(endpoint, context.cost);
  }

  /** `used`: what the answer says that was used, which is nothing where it was not made for this request. */
  private account(context: RequestContext, used: Usage | null, responseModel: string | null): void {
    const { answer } = context;
    const upstream = answer === null ? context.left : answer.upstream;
    const cache = answer === null ? null : answer.cache;
    if (upstream !== null) this.priceUse(context, upstream, responseModel, used);
    if (cache !== null) accountCache(context, cache);
    if (context.pace !== null) context.pace.over(used);
    if (context.busyEndpoint !== null) this.measure(context, context.busyEndpoint);
    const isTold = context.usage !== null;
    if (context.extraUse !== null) addExtraUse(context, context.extraUse, this.pricer, this.accounts);
    this.accounts.settle(context, upstream, isTold);
  }

  private priceUse(
    context: RequestContext,
    upstream: Upstream,
    responseModel: string | null,
    used: Usage | null,
  ): void {
    if (context.parts !== null) {
      addParts(context, context.parts);
      return;
    }
    if (tellsOfOthers(context, used)) {
      const reported = earlierUses(
        context,
        upstream,
        linePricer(this.pricer, upstream, context.startedWallMs),
      );
      if (reported.length > 0) {
        this.priceEarlier(context, upstream, reported);
        return;
      }
      // Any other use that a GET tells was charged when it was made.
      if (context.method === 'GET') return;
      context.begun = begunName(context, upstream);
      // What it has used so far is not all of it.
      if (context.begun !== null) return;
    }
    if (used !== null && !isAbsurd(used)) this.price(context, upstream, responseModel, used);
  }

  /** Each use by its own name. The lines of a price are of one use alone. */
  private priceEarlier(context: RequestContext, upstream: Upstream, reported: readonly EarlierUse[]): void {
    context.earlier = reported.map((use) => {
      if (use.output === undefined) this.price(context, upstream, use.model, use.usage, use.isBatch);
      else priceOutput(context, use.output);
      // Nothing costs nothing, whatever the model.
      if (use.usage.inputTokens + use.usage.outputTokens === 0) context.cost ??= 0;
      return { ...use, cost: context.cost };
    });
    if (reported.length === 1) return;
    context.price = null;
    context.usage = reported.map(({ usage }) => usage).reduce(sumOf);
    context.cost = atMost(context.earlier.reduce((sum, { cost }) => sum + (cost ?? 0), 0));
  }

  private price(
    context: RequestContext,
    upstream: Upstream,
    responseModel: string | null,
    usage: Usage,
    isBatch = false,
  ): void {
    context.usage = usage;
    const billable = isBatch ? { ...usage, batch: true } : usage;
    const priced = this.pricer.price(upstream, responseModel, billable, context.startedWallMs);
    context.price = priced && { source: priced.source, model: priced.model, lines: priced.lines };
    context.cost = priced && atMost(priced.total);
  }
}

/** Of the answers of a batch. */
export const linePricer =
  (pricer: Pick<TargetPricer, 'price'>, upstream: Upstream, atMs: number): LinePricer =>
  (model, usage) =>
    pricer.price(upstream, model, { ...usage, batch: true }, atMs);

/** The record takes no larger integer. */
const atMost = (cost: number): number => Math.min(cost, Number.MAX_SAFE_INTEGER);

function priceOutput(context: RequestContext, { usage, cost, price }: BatchOutput): void {
  context.usage = usage;
  context.price = price;
  context.cost = cost;
}

/** What must be waited for before the record is written; undefined: nothing, as for most. */
function preparationOf({ meter, guarding }: RequestContext): Promise<void> | undefined {
  const metered = meter?.prepare?.();
  if (guarding === null) return metered;
  return metered === undefined ? guarding.late.prepare() : metered.then(() => guarding.late.prepare());
}

/** A session was priced part by part. */
function addParts(context: RequestContext, { usage, cost, tokens, isEstimated, price }: SessionParts): void {
  context.usage = usage;
  context.cost = cost;
  context.price = price;
  if (isEstimated) context.estimatedTokens = tokens;
}

/** A cached or shared answer costs nothing; the embedding call that found it has a cost of its own. */
function accountCache(context: RequestContext, cache: CacheUse): void {
  if (cache.isFree) {
    cache.savedCost = context.cost;
    context.usage = NO_USAGE;
    context.price = null;
    context.cost = 0;
  }
  const embedded = cache.embedding?.cost ?? null;
  if (embedded !== null) context.cost = (context.cost ?? 0) + embedded;
}

/** A record's charges are entered up to 64 of them, and those of the request itself come last. */
const CHECK_CHARGES_MAX = 40;
const NOTHING = (): void => undefined;

const clipped = (body: Buffer, maxBytes: number): Buffer =>
  body.length > maxBytes ? body.subarray(0, maxBytes) : body;

function clippedAll(pieces: readonly Buffer[], bytes: number, maxBytes: number): readonly Buffer[] {
  if (bytes <= maxBytes) return pieces;
  const kept: Buffer[] = [];
  let left = maxBytes;
  for (const piece of pieces) {
    if (left > 0) kept.push(clipped(piece, left));
    left -= piece.length;
  }
  return kept;
}
