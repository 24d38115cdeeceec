import { performance } from 'node:perf_hooks';
import type { LogRecord, Usage } from '@gw/contracts';
import type { FrameBody, Journal } from '@gw/journal';
import type { TargetStatistics } from '@gw/routing';
import type { RequestGuardrails } from '../guardrails/request-guardrails';
import type { InFlightLog } from '../in-flight/in-flight-log';
import type { Accounts } from '../limits/accounts';
import type { RequestMetrics } from '../metrics/request-metrics';
import type { ChargesAlone } from '../record/charges-alone';
import { logRecord, overheadOf } from '../record/log-record';
import { isRefused, type RefusedRequests } from '../record/refused-requests';
import { addExtraUse } from '../usage/extra-use';
import { priceCached, priceUse } from '../usage/pricing';
import type { TargetPricer } from '../usage/use';
import type { Faults } from './faults';
import { outcomeOf } from './outcome';
import { SETTLE_STAGE } from './order';
import type { RequestContext } from './request-context';
import type { UnsettledRequests } from './unsettled-requests';

export interface SettlementOptions {
  readonly gatewayId: string;
  /** Maximum bytes of each body that the log stores. */
  readonly bodyMaxBytes: number;
  /** Null when metrics are disabled. */
  readonly metrics: RequestMetrics | null;
  /**
   * Stores the charges of a record that the journal could not store; null when they are lost with
   * the record.
   */
  readonly chargesAlone: Pick<ChargesAlone, 'keep'> | null;
  /** Decides whether a request without a usable key gets a log record. */
  readonly refused: RefusedRequests;
  /**
   * The list of in-flight requests; settlement removes a request from it when it writes the log
   * record.
   */
  readonly inFlight: Pick<InFlightLog, 'end' | 'joinCheck'>;
  readonly faults: Faults;
  /** Ends requests whose settlement threw. */
  readonly unsettled: Pick<UnsettledRequests, 'end' | 'charge'>;
}

/**
 * The last stage: determines usage and cost, and writes the log record. Runs exactly once for every
 * request, however it ended, and never throws.
 */
export class Settlement {
  readonly refused: RefusedRequests;
  private readonly lastSteps: readonly ((context: RequestContext) => void)[] = [
    (context) => this.options.metrics?.count(context, overheadOf(context, context.elapsedMs())),
    (context) => context.idempotency?.first?.settle(outcomeOf(context.reply), context.reply.status),
    (context) => context.response?.cache?.settle(),
    (context) => context.releaseBody(),
  ];

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
    const end = (): void => this.options.faults.endAfter(context, onDurable);
    const fail = (thrown: unknown): void => this.fail(context, thrown, false, end);
    try {
      const preparing = preparationOf(context);
      if (preparing === undefined) this.finish(context, end);
      else preparing.then(() => this.finish(context, end), fail);
    } catch (thrown) {
      fail(thrown);
    }
  };

  /**
   * Settles a call made by a guardrail check. Its cost is charged on the record of the checked
   * request. When that record is already written, or has `CHECK_CHARGES_MAX` charges, a separate
   * record is written for the call.
   */
  readonly settleCheck = (
    context: RequestContext,
    request: RequestContext,
    used: Usage | null,
    responseModel: string | null,
  ): void => {
    context.settled = true;
    const { faults, unsettled } = this.options;
    const isCharged = faults.contained(context, () => this.account(context, used, responseModel));
    const charges = isCharged ? context.usage.charges : unsettled.charge(context).charges;
    if (request.settled || (request.usage.charges?.length ?? 0) >= CHECK_CHARGES_MAX) {
      if (context.attempts.records.length === 0) this.options.inFlight.end(context);
      else if (!faults.contained(context, () => this.record(context, responseModel, NOTHING)))
        this.options.inFlight.end(context);
      return;
    }
    this.options.inFlight.joinCheck(context, request);
    for (const charge of charges ?? []) {
      // A failed call without cost is not charged.
      if (charge.cost !== 0 || charge.tokens !== 0) request.usage.addCharge(charge);
    }
  };

  private finish(context: RequestContext, end: () => void): void {
    const startedAt = performance.now();
    let isCharged = false;
    try {
      const { meter } = context.reply;
      const responseModel = meter?.model() ?? null;
      this.account(context, meter?.usage() ?? null, responseModel);
      isCharged = true;
      context.stageMs[SETTLE_STAGE] = performance.now() - startedAt;
      if (isRefused(context) && !this.refused.admits(context)) {
        this.options.inFlight.end(context);
        end();
      } else this.record(context, responseModel, end);
    } catch (thrown) {
      this.fail(context, thrown, isCharged, end);
      return;
    }
    this.conclude(context);
  }

  private fail(context: RequestContext, thrown: unknown, isCharged: boolean, end: () => void): void {
    this.options.unsettled.end(context, thrown, isCharged, end);
    this.conclude(context);
  }

  /** Counts the request and frees what it holds; no step prevents the next one. */
  private conclude(context: RequestContext): void {
    for (const step of this.lastSteps) this.options.faults.contained(context, step);
  }

  private record(context: RequestContext, responseModel: string | null, onDurable: () => void): void {
    const { principal, gw } = context;
    const { writer } = context.reply;
    const { bodyMaxBytes, gatewayId } = this.options;
    const keep = principal !== null && principal.logBodies && gw.logBodies;
    const record = logRecord(context, {
      gatewayId,
      requestTruncated: (keep && context.body.length > bodyMaxBytes) || context.spooled !== null,
      responseTruncated: keep && writer !== null && (writer.truncated || writer.keptBytes > bodyMaxBytes),
      responseModel,
    });
    const request = keep ? clipped(context.body, bodyMaxBytes) : null;
    const response = keep && writer ? clippedAll(writer.kept, writer.keptBytes, bodyMaxBytes) : null;
    this.amendLater(context.guardrails, record);
    this.keep(record, request, response, onDurable);
    this.options.inFlight.end(context);
  }

  /**
   * Appends the record to the journal. When the journal is full, the record and its bodies are
   * lost, but `chargesAlone` still stores the charges.
   */
  private keep(record: Buffer, request: FrameBody, response: FrameBody, onDurable: () => void): void {
    const isKept = this.journal.append(record, request, response, onDurable);
    if (!isKept) this.options.chargesAlone?.keep(record);
  }

  /**
   * Writes the record again when the last late verdicts arrive. The bodies are already in the
   * journal.
   */
  private amendLater(guardrails: RequestGuardrails | null, record: Buffer): void {
    if (guardrails?.late.isIncomplete !== true) return;
    const { late, records } = guardrails;
    // Copied now, because the buffer is reused for the next record.
    const first = record.toString('utf8');
    late.whenComplete(() => {
      const { decision, ...rest } = JSON.parse(first) as LogRecord;
      const amended: LogRecord = { ...rest, amends: true, decision: { ...decision, guardrails: records } };
      this.journal.append(JSON.stringify(amended), null, null, () => undefined);
    });
  }

  /** Measures load and cost for strategies that choose by them. */
  private measure(context: RequestContext, endpoint: string): void {
    this.statistics.ended(endpoint);
    // Cached and shared responses say nothing about a target's cost, so they are not recorded.
    if (context.usage.cost !== null && context.response?.cache?.isFree !== true)
      this.statistics.cost(endpoint, context.usage.cost);
  }

  /**
   * `used`: the usage that the response reports; null when the response was not made for this
   * request.
   */
  private account(context: RequestContext, used: Usage | null, responseModel: string | null): void {
    const { response, attempts, usage } = context;
    // The usage of embedding calls that are still in flight can no longer be charged once the
    // request is settled.
    context.cache?.embeddings?.cutAll();
    const upstream = response === null ? attempts.cutUpstream : response.upstream;
    const cache = response === null ? null : response.cache;
    if (upstream !== null) priceUse(context, upstream, responseModel, used, this.pricer);
    if (cache !== null) priceCached(usage, cache);
    if (attempts.pace !== null) attempts.pace.report(used);
    const busy = attempts.takeBusyEndpoint();
    if (busy !== null) this.measure(context, busy);
    const isReported = usage.reported !== null;
    if (usage.extra !== null) addExtraUse(context, usage.extra, this.pricer, this.accounts);
    this.accounts.settle(context, upstream, isReported);
  }
}

/** Resolves when the record can be written; undefined for most requests, which need not wait. */
function preparationOf({ reply, guardrails }: RequestContext): Promise<void> | undefined {
  const metered = reply.meter?.prepare?.();
  if (guardrails === null) return metered;
  const { late } = guardrails;
  return metered === undefined ? late.prepare() : metered.then(() => late.prepare());
}

/**
 * A record holds up to 64 charges; the rest are left for the request's own charges, which are added
 * last.
 */
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
