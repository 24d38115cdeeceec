import type { AttemptRecord, DecisionRecord, LimitState, PriceLine, RoutingEvent } from '@gw/contracts';
import { isBudget, type Bucket, type Reservation } from '@gw/limits';
import type { PendingCharge } from '../usage/use';
import type { Upstream } from '../core/upstream';
import { cacheUseOf } from '../cache/cache-use';
import type { RequestContext } from '../core/request-context';
import { TIMED_STAGES } from '../core/order';
import { fragment, remembered, type JsonWriter } from './json-writer';
import { K } from './keys';
import { writeMcpRecord } from './mcp-record';
import { LRUCache } from 'lru-cache';

/** Writes why the request was routed as it was. It is the last member of the record. */
export function writeDecision(w: JsonWriter, context: RequestContext): void {
  const { strategy, matchedCondition, events: routing } = context.attempts;
  const { price, charges } = context.usage;
  w.raw(K.decision);
  w.raw(config(context.configSource));
  if (strategy.length > 0) writeList(w, K.strategy, strategy, writeText);
  if (matchedCondition !== null) w.text(K.matchedCondition, matchedCondition);
  writeList(w, K.attempts, context.attempts.records, writeAttempt);
  if (routing.length > 0) writeList(w, K.routing, routing, writeEvent);
  writeLimits(w, context);
  if (charges !== null) writeList(w, K.charges, charges, writeCharge);
  if (price !== null) {
    w.text(K.price, price.source);
    w.text(K.model, price.model);
    writeList(w, K.lines, price.lines, writeLine);
    w.raw(K.close);
  }
  writeFeatures(w, context);
  writeAnswered(w, context);
  w.raw(K.stages);
  writeStages(w, context.stageMs);
  w.raw(K.end);
}

function writeFeatures(w: JsonWriter, { guardrails, session, prompt, mcp, agent }: RequestContext): void {
  if (guardrails !== null && guardrails.records.length > 0) w.json(K.guardrails, guardrails.records);
  if (session !== null && session.record !== null) w.json(K.session, session.record);
  if (prompt !== null) w.json(K.prompt, prompt.record);
  if (mcp !== null) writeMcpRecord(w, mcp.record());
  if (agent !== null) w.json(K.agent, agent.record());
}

/**
 * Writes the decision so far, for the record of a request whose gateway died. `upstream` is that of
 * a call in flight.
 */
export function writeLostDecision(
  w: JsonWriter,
  context: RequestContext,
  upstream: Upstream | null,
  charges: readonly PendingCharge[],
): void {
  const { strategy, matchedCondition, records: attempts } = context.attempts;
  w.raw(K.decision);
  w.raw(config(context.configSource));
  if (strategy.length > 0) writeList(w, K.strategy, strategy, writeText);
  if (matchedCondition !== null) w.text(K.matchedCondition, matchedCondition);
  const current = upstream === null ? [] : attemptsInFlight(context, upstream);
  writeList(w, K.attempts, [...attempts, ...current], writeAttempt);
  if (charges.length > 0) writeList(w, K.charges, charges, writeCharge);
  if (context.mcp !== null) writeMcpRecord(w, context.mcp.record());
  if (context.agent !== null) w.json(K.agent, context.agent.record());
  w.raw(K.stages);
  w.raw(K.end);
}

/**
 * Writes what a decision contains before the first attempt. It is the last member of a begun
 * record.
 */
export function writeBegunDecision(
  w: JsonWriter,
  { configSource, attempts, mcp }: RequestContext,
  charges: readonly PendingCharge[],
): void {
  w.raw(K.begun);
  w.raw(config(configSource));
  const { strategy, matchedCondition } = attempts;
  if (strategy.length > 0) writeList(w, K.strategy, strategy, writeText);
  if (matchedCondition !== null) w.text(K.matchedCondition, matchedCondition);
  if (charges.length > 0) writeList(w, K.charges, charges, writeCharge);
  if (mcp !== null) writeMcpRecord(w, mcp.record());
  w.raw(K.endBegun);
}

function attemptsInFlight(context: RequestContext, upstream: Upstream): readonly AttemptRecord[] {
  const { hedge } = context;
  if (hedge === null) return [attemptInFlight(context, upstream)];
  return [
    { ...attemptInFlight(context, hedge.first), hedge: 'first' },
    { ...attemptInFlight(context, upstream), hedge: 'second' },
  ];
}

function attemptInFlight(
  context: RequestContext,
  { target, provider, saved, model }: Upstream,
): AttemptRecord {
  const last = context.attempts.records.at(-1);
  const startedMs = last === undefined ? 0 : last.startedMs + last.durationMs;
  return {
    target: target.path,
    provider: provider.id,
    credential: saved?.slug ?? null,
    model,
    retry: last?.target === target.path ? last.retry + 1 : 0,
    status: null,
    end: 'interrupted',
    reason: null,
    startedMs,
    durationMs: Math.max(0, context.elapsedMs() - startedMs),
  };
}

/** Writes the source of the response if it did not come from a provider call of this request. */
function writeAnswered(w: JsonWriter, context: RequestContext): void {
  const { idempotency } = context;
  const cache = cacheUseOf(context);
  if (cache !== null) w.json(K.cache, cache.record());
  if (idempotency === null) return;
  if (idempotency.first !== null) w.text(K.idempotency, 'first');
  if (idempotency.replayed !== null) w.text(K.idempotency, 'replayed');
}

const config = remembered((source: DecisionRecord['config']) => JSON.stringify(source));

function writeList<T>(
  w: JsonWriter,
  key: Buffer,
  items: readonly T[],
  write: (w: JsonWriter, item: T) => void,
): void {
  w.raw(key);
  for (let i = 0; i < items.length; i += 1) {
    if (i > 0) w.raw(K.comma);
    write(w, items[i] as T);
  }
  w.raw(K.closeList);
}

const NO_KEY = fragment('');
const writeText = (w: JsonWriter, value: string): void => w.text(NO_KEY, value);

function writeAttempt(w: JsonWriter, attempt: AttemptRecord): void {
  w.text(K.target, attempt.target);
  w.text(K.provider, attempt.provider);
  w.text(K.credential, attempt.credential);
  w.text(K.model, attempt.model);
  if (attempt.retry > 0) w.number(K.retry, attempt.retry);
  w.number(K.status, attempt.status);
  w.text(K.attemptEnd, attempt.end);
  if (attempt.reason !== null) w.text(K.reason, attempt.reason);
  w.ms(K.startedMs, attempt.startedMs);
  w.ms(K.durationMs, attempt.durationMs);
  if (attempt.waitedMs !== undefined) w.ms(K.waitedMs, attempt.waitedMs);
  if (attempt.hedge !== undefined) w.text(K.hedge, attempt.hedge);
  if (attempt.losses !== undefined) w.json(K.losses, attempt.losses);
  if (attempt.moreLosses !== undefined) w.number(K.moreLosses, attempt.moreLosses);
  w.raw(K.close);
}

function writeEvent(w: JsonWriter, { target, event }: RoutingEvent): void {
  w.text(K.target, target);
  w.text(K.event, event);
  w.raw(K.close);
}

function writeLimit(w: JsonWriter, state: LimitState): void {
  w.text(K.scope, state.scope);
  w.text(K.limitId, state.id);
  w.text(K.type, state.type);
  w.number(K.limit, state.limit);
  w.number(K.used, state.used);
  w.text(K.resetAt, state.resetAt);
  w.text(K.verdict, state.verdict);
  w.raw(K.close);
}

/** Writes the limits that admitted the request and those that refused it. */
function writeLimits(w: JsonWriter, { limits, response }: RequestContext): void {
  const own = response?.upstream.reservation;
  const reservation = limits === null ? null : limits.reservation;
  const refusals = limits === null ? [] : limits.refusals;
  if (reservation === null && own === undefined && refusals.length === 0) return;
  w.raw(K.limits);
  let first = true;
  if (reservation !== null) first = writeAdmitted(w, reservation, first);
  if (own !== undefined) first = writeAdmitted(w, own, first);
  for (const state of refusals) {
    if (!first) w.raw(K.comma);
    first = false;
    writeLimit(w, state);
  }
  w.raw(K.closeList);
}

/**
 * The start of a limit state is the same for every request, and its end for very many, so both are
 * cached.
 */
const limitHead = remembered(({ scope, id, type, value }: Bucket) => {
  const head = JSON.stringify({ scope, id, type, limit: value });
  return `${head.slice(0, -1)},"used":`;
});

function writeAdmitted(w: JsonWriter, reservation: Reservation, isFirst: boolean): boolean {
  let first = isFirst;
  for (let at = 0; at < reservation.buckets.length; at += 1) {
    if (!first) w.raw(K.comma);
    first = false;
    w.raw(limitHead(reservation.buckets[at] as Bucket));
    w.number(NO_KEY, reservation.usedOf(at));
    w.raw(limitEnd(reservation.endOf(at)));
  }
  return first;
}

/** `null` has a key of its own, since a cache holds no null. */
const NEVER = -1;
const ends = new LRUCache<number, Buffer>({ max: 256 });

function limitEnd(endsAtMs: number | null): Buffer {
  const at = endsAtMs ?? NEVER;
  let end = ends.get(at);
  if (end === undefined) {
    const resetAt = endsAtMs === null ? null : new Date(endsAtMs).toISOString();
    end = fragment(`,"resetAt":${JSON.stringify(resetAt)},"verdict":"admitted"}`);
    ends.set(at, end);
  }
  return end;
}

function writeCharge(w: JsonWriter, charge: PendingCharge): void {
  w.text(K.line, charge.line);
  w.text(K.provider, charge.provider);
  w.number(K.cost, charge.cost);
  w.number(K.tokens, charge.tokens);
  w.number(K.requests, charge.requests);
  if (charge.flags.length > 0) w.json(K.flags, charge.flags);
  else w.raw(K.noFlags);
  if (charge.once !== undefined) w.text(K.once, charge.once);
  w.raw(K.counters);
  let first = true;
  for (const reservation of charge.from)
    first = writeCounters(w, reservation, charge.once === undefined, first);
  w.raw(K.closeList);
  w.raw(K.close);
}

const counterKey = remembered(({ key }: Bucket) => `[${JSON.stringify(key)},`);

/**
 * Writes the counters of budgets; rate windows need no record. `isCounted`: this gateway has
 * reported to the counters itself.
 */
function writeCounters(
  w: JsonWriter,
  reservation: Reservation,
  isCounted: boolean,
  isFirst: boolean,
): boolean {
  let first = isFirst;
  for (let at = 0; at < reservation.buckets.length; at += 1) {
    const bucket = reservation.buckets[at] as Bucket;
    if (!isBudget(bucket)) continue;
    if (!first) w.raw(K.comma);
    first = false;
    w.raw(counterKey(bucket));
    w.number(NO_KEY, reservation.periodOf(at));
    if (isCounted) w.text(K.comma, reservation.holderOf(at));
    w.raw(K.closeList);
  }
  return first;
}

function writeLine(w: JsonWriter, { unit, quantity, pricePerMillion, cost }: PriceLine): void {
  w.text(K.unit, unit);
  w.number(K.quantity, quantity);
  w.number(K.pricePerMillion, pricePerMillion);
  w.number(K.cost, cost);
  w.raw(K.close);
}

const STAGE_KEYS = TIMED_STAGES.map((name) => fragment(`"${name}":`));

function writeStages(w: JsonWriter, stageMs: readonly number[]): void {
  let first = true;
  for (let at = 0; at < stageMs.length; at += 1) {
    const took = stageMs[at] as number;
    if (took < 0) continue;
    if (!first) w.raw(K.comma);
    first = false;
    w.ms(STAGE_KEYS[at] as Buffer, took);
  }
}
