import { performance } from 'node:perf_hooks';
import type { LogRecord, PriceLine, Usage } from '@gw/contracts';
import type { BillableUsage } from '@gw/pricing';
import type { TargetStatistics } from '@gw/routing';
import type { FrameBody, Journal } from '@gw/telemetry';
import type { Accounts } from '../limits/accounts';
import { isAbsurd } from '../limits/absurd-use';
import type { BatchOutput, LinePricer } from '../limits/batch-output';
import type { ChargesAlone } from '../limits/charges-alone';
import { begunName, type EarlierUse, earlierUses, tellsOfOthers } from '../limits/made-earlier';
import type { SessionParts } from '../limits/session-accounts';
import type { Upstream } from './answer';
import type { Exchange } from './exchange';
import type { CacheUse } from './cache/cache-use';
import { addExtraUse, NO_USAGE, sumOf } from './extra-use';
import type { Guarding } from './guard/guarding';
import type { RequestMetrics } from '../metrics/request-metrics';
import { logRecord, overheadOf } from './record/log-record';
import { isRefused, type RefusedRequests } from './record/refused-requests';
import { SETTLE_STAGE } from './pipeline';
import { NOT_NOTED, type InFlightLog } from './under-way/in-flight-log';

/** Usage to money at a time, in milliseconds since 1970; null: the price is not known. */
export interface Pricer {
  /** `answered`: the model that the answer names; null: none. */
  price(by: PricedTarget, answered: string | null, usage: BillableUsage, atMs: number): Priced | null;
  /** The total of so many text tokens, 1e-8 USD. */
  priceOfText(by: PricedBy, model: string, input: number, output: number, atMs: number): number | null;
  /** Tokens of the model's context window; null: not known. */
  contextTokens(by: PricedBy, model: string): number | null;
}

/** What decides about a price. */
export type PricedBy = Pick<Upstream, 'saved' | 'provider'>;
export type PricedTarget = Pick<Upstream, 'saved' | 'provider' | 'model'>;

export interface Priced {
  /** Whose price it is. */
  readonly model: string;
  readonly source: string;
  readonly lines: readonly PriceLine[];
  /** 1e-8 USD. */
  readonly total: number;
}

export interface SettlementOptions {
  readonly gatewayId: string;
  /** Bytes of each body that the log keeps. */
  readonly bodyMaxBytes: number;
  /** Null: nobody asks for metrics, so nothing is counted. */
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
    private readonly pricer: Pricer,
    private readonly statistics: TargetStatistics,
    private readonly options: SettlementOptions,
  ) {
    this.refused = options.refused;
  }

  readonly settle = (exchange: Exchange, onDurable: () => void): void => {
    if (exchange.settled) {
      onDurable();
      return;
    }
    exchange.settled = true;
    const preparing = preparationOf(exchange);
    if (preparing === undefined) this.finish(exchange, onDurable);
    else
      void preparing.then(() => {
        this.finish(exchange, onDurable);
      });
  };

  /**
   * For a call that a check has made: what it cost stands among the charges of its request, or, once the record of that is written or
   * has as many of them as it takes, in a record of its own.
   */
  readonly settleCheck = (
    exchange: Exchange,
    request: Exchange,
    used: Usage | null,
    responseModel: string | null,
  ): void => {
    exchange.settled = true;
    this.account(exchange, used, responseModel);
    if (request.settled || (request.charges?.length ?? 0) >= CHECK_CHARGES_MAX) {
      if (exchange.attempts.length > 0) this.record(exchange, responseModel, NOTHING);
      else this.options.inFlight.end(exchange);
      return;
    }
    if (exchange.notedBytes !== NOT_NOTED) request.checks = [...request.checks, exchange];
    for (const charge of exchange.charges ?? []) {
      // What failed and cost nothing is no line of a bill.
      if (charge.cost !== 0 || charge.tokens !== 0) (request.charges ??= []).push(charge);
    }
  };

  private finish(exchange: Exchange, onDurable: () => void): void {
    const startedAt = performance.now();
    const responseModel = exchange.meter?.model() ?? null;
    this.account(exchange, exchange.meter?.usage() ?? null, responseModel);
    exchange.stageMs[SETTLE_STAGE] = performance.now() - startedAt;
    if (isRefused(exchange) && !this.refused.admits(exchange)) {
      this.options.inFlight.end(exchange);
      onDurable();
    } else this.record(exchange, responseModel, onDurable);
    const { metrics } = this.options;
    if (metrics !== null) metrics.count(exchange, overheadOf(exchange));
    exchange.firstAnswer?.settle(exchange);
    exchange.answer?.cache?.settle();
    exchange.giveBack();
  }

  private record(exchange: Exchange, responseModel: string | null, onDurable: () => void): void {
    const { reply, principal, gw } = exchange;
    const { bodyMaxBytes, gatewayId } = this.options;
    const keep = principal !== null && principal.logBodies && gw.logBodies;
    const record = logRecord(exchange, {
      gatewayId,
      requestTruncated: (keep && exchange.body.length > bodyMaxBytes) || exchange.spooled !== null,
      responseTruncated: keep && reply !== null && (reply.truncated || reply.keptBytes > bodyMaxBytes),
      responseModel,
    });
    const request = keep ? clipped(exchange.body, bodyMaxBytes) : null;
    const response = keep && reply ? clippedAll(reply.kept, reply.keptBytes, bodyMaxBytes) : null;
    this.amendLater(exchange.guarding, record);
    this.keep(record, request, response, onDurable);
    this.options.inFlight.end(exchange);
  }

  /** What the journal has no room for loses its texts, and is charged all the same. */
  private keep(record: Buffer, request: FrameBody, response: FrameBody, onDurable: () => void): void {
    const isKept = this.journal.append(record, request, response, onDurable);
    if (!isKept) this.options.chargesAlone?.keep(record);
  }

  /** The record once more, with the verdicts that come after the answer has left. Its bodies are there already. */
  private amendLater(guarding: Guarding | null, record: Buffer): void {
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
  private measure(exchange: Exchange, endpoint: string): void {
    exchange.busyEndpoint = null;
    this.statistics.ended(endpoint);
    // Of an answer that somebody else paid for nobody learns what the target costs.
    if (exchange.cost !== null && exchange.answer?.cache?.isFree !== true)
      this.statistics.cost(endpoint, exchange.cost);
  }

  /** `used`: what the answer says that was used, which is nothing where it was not made for this request. */
  private account(exchange: Exchange, used: Usage | null, responseModel: string | null): void {
    const { answer } = exchange;
    const upstream = answer === null ? exchange.left : answer.upstream;
    const cache = answer === null ? null : answer.cache;
    if (upstream !== null) this.priceUse(exchange, upstream, responseModel, used);
    if (cache !== null) accountCache(exchange, cache);
    if (exchange.pace !== null) exchange.pace.over(used);
    if (exchange.busyEndpoint !== null) this.measure(exchange, exchange.busyEndpoint);
    const isTold = exchange.usage !== null;
    if (exchange.extraUse !== null) addExtraUse(exchange, exchange.extraUse, this.pricer, this.accounts);
    this.accounts.settle(exchange, upstream, isTold);
  }

  private priceUse(
    exchange: Exchange,
    upstream: Upstream,
    responseModel: string | null,
    used: Usage | null,
  ): void {
    if (exchange.parts !== null) {
      addParts(exchange, exchange.parts);
      return;
    }
    if (tellsOfOthers(exchange, used)) {
      const told = earlierUses(exchange, upstream, linePricer(this.pricer, upstream, exchange.startedWallMs));
      if (told.length > 0) {
        this.priceEarlier(exchange, upstream, told);
        return;
      }
      // Any other use that a GET tells was charged when it was made.
      if (exchange.method === 'GET') return;
      exchange.begun = begunName(exchange, upstream);
      // What it has used so far is not all of it.
      if (exchange.begun !== null) return;
    }
    if (used !== null && !isAbsurd(used)) this.price(exchange, upstream, responseModel, used);
  }

  /** Each use by its own name. The lines of a price are of one use alone. */
  private priceEarlier(exchange: Exchange, upstream: Upstream, told: readonly EarlierUse[]): void {
    exchange.earlier = told.map((use) => {
      if (use.output === undefined) this.price(exchange, upstream, use.model, use.usage, use.isBatch);
      else priceOutput(exchange, use.output);
      // Nothing costs nothing, whatever the model.
      if (use.usage.inputTokens + use.usage.outputTokens === 0) exchange.cost ??= 0;
      return { ...use, cost: exchange.cost };
    });
    if (told.length === 1) return;
    exchange.price = null;
    exchange.usage = told.map(({ usage }) => usage).reduce(sumOf);
    exchange.cost = atMost(exchange.earlier.reduce((sum, { cost }) => sum + (cost ?? 0), 0));
  }

  private price(
    exchange: Exchange,
    upstream: Upstream,
    responseModel: string | null,
    usage: Usage,
    isBatch = false,
  ): void {
    exchange.usage = usage;
    const billable = isBatch ? { ...usage, batch: true } : usage;
    const priced = this.pricer.price(upstream, responseModel, billable, exchange.startedWallMs);
    exchange.price = priced && { source: priced.source, model: priced.model, lines: priced.lines };
    exchange.cost = priced && atMost(priced.total);
  }
}

/** Of the answers of a batch. */
export const linePricer =
  (pricer: Pick<Pricer, 'price'>, upstream: Upstream, atMs: number): LinePricer =>
  (model, usage) =>
    pricer.price(upstream, model, { ...usage, batch: true }, atMs);

/** The record takes no larger integer. */
const atMost = (cost: number): number => Math.min(cost, Number.MAX_SAFE_INTEGER);

function priceOutput(exchange: Exchange, { usage, cost, price }: BatchOutput): void {
  exchange.usage = usage;
  exchange.price = price;
  exchange.cost = cost;
}

/** What must be waited for before the record is written; undefined: nothing, as for most. */
function preparationOf({ meter, guarding }: Exchange): Promise<void> | undefined {
  const metered = meter?.prepare?.();
  if (guarding === null) return metered;
  return metered === undefined ? guarding.late.prepare() : metered.then(() => guarding.late.prepare());
}

/** A session was priced part by part. */
function addParts(exchange: Exchange, { usage, cost, tokens, isEstimated, price }: SessionParts): void {
  exchange.usage = usage;
  exchange.cost = cost;
  exchange.price = price;
  if (isEstimated) exchange.estimatedTokens = tokens;
}

/** An answer that somebody else has paid for costs nothing, and what was asked to find it costs its own. */
function accountCache(exchange: Exchange, cache: CacheUse): void {
  if (cache.isFree) {
    cache.savedCost = exchange.cost;
    exchange.usage = NO_USAGE;
    exchange.price = null;
    exchange.cost = 0;
  }
  const embedded = cache.embedding?.cost ?? null;
  if (embedded !== null) exchange.cost = (exchange.cost ?? 0) + embedded;
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
