import type { AttemptEnd, AttemptRecord, GuardrailRecord, RoutingEvent } from '@gw/contracts';
import type {
  AttemptLane,
  GuardrailLane,
  Lane,
  LaneTone,
  WaterfallLayout,
  WaterfallRecord,
} from './waterfall-lanes';

/** Maximum gap without a separate lane. */
const GAP_MS = 1;
/** Minimum duration of a stream whose speed is computed. */
const SPEED_FROM_MS = 50;

export const TONES: Readonly<Record<AttemptEnd, LaneTone>> = {
  answered: 'answered',
  status: 'failed',
  unreachable: 'failed',
  interrupted: 'failed',
  redirected: 'failed',
  refused: 'failed',
  timeout: 'timeout',
  denied: 'denied',
  cancelled: 'quiet',
  skipped: 'quiet',
  client_closed: 'quiet',
};

/** Outcomes of a call after which its body may have been sent to the client. */
const WITH_BODY: ReadonlySet<AttemptEnd> = new Set(['answered', 'status', 'interrupted', 'client_closed']);
const AFTER_STAGES: ReadonlySet<string> = new Set(['attempt', 'reply', 'settle']);

/**
 * Lays out the time of a request: gateway, calls, waits, guardrails and settlement. Lanes never
 * exceed the request, gaps are never negative, and all lanes except guardrails together cover the
 * request.
 */
export function waterfallLayout(record: WaterfallRecord): WaterfallLayout {
  const { guardrails = [], routing = [], stages: taken = {}, attempts: made } = record.decision;
  const attempts = attemptsOf(made);
  const stages = Object.entries(taken).filter(([, ms]) => isTime(ms));
  const lastEnd = Math.max(0, ...attempts.map(({ startedMs, durationMs }) => startedMs + durationMs));
  const totalMs = Math.max(time(record.durationMs), lastEnd);
  const settleMs = Math.min(time(taken['settle']), totalMs - lastEnd);
  const endMs = totalMs - settleMs;
  const { byAttempt, unplaced } = placedEvents(attempts, routing);

  const calls = callLanes(record, attempts, byAttempt, endMs);
  const first = attempts[0];
  const lanes: Lane[] = [
    {
      ...{ key: 'before', kind: 'before', from: 0, to: first?.startedMs ?? endMs, tone: 'gateway' },
      stages: stages.filter(([name]) => !AFTER_STAGES.has(name)),
    },
    ...calls,
  ];
  const cursor = Math.max(...lanes.map(({ to }) => to));
  if (endMs > cursor) {
    const reply = stages.filter(([name]) => name === 'reply');
    lanes.push({ key: 'after', kind: 'after', from: cursor, to: endMs, tone: 'gateway', stages: reply });
  }
  lanes.push(...guardrailLanes(guardrails, calls, endMs));
  if (settleMs > 0) {
    const own = [['settle', settleMs]] as const;
    lanes.push({ key: 'settle', kind: 'settle', from: endMs, to: totalMs, tone: 'gateway', stages: own });
  }
  return { totalMs, lanes, unplaced };
}

/** Lanes of the calls and of the time between them. */
function callLanes(
  record: WaterfallRecord,
  attempts: readonly AttemptRecord[],
  events: ReadonlyMap<AttemptRecord, readonly RoutingEvent[]>,
  endMs: number,
): readonly Lane[] {
  const answer = answerOf(attempts);
  const lanes: Lane[] = [];
  let cursor = attempts[0]?.startedMs ?? 0;
  for (const [at, attempt] of attempts.entries()) {
    const gap = Math.max(0, attempt.startedMs - cursor);
    if (gap > GAP_MS) {
      const common = { key: `gap${at}`, from: cursor, to: attempt.startedMs };
      const isRetry = attempts[at - 1]?.target === attempt.target;
      lanes.push(
        isRetry
          ? { ...common, kind: 'waited', tone: 'waited' }
          : { ...common, kind: 'between', tone: 'gateway', stages: [] },
      );
    }
    const lane = attemptLane(attempt, at, {
      to: endOf(attempts, at, answer, endMs),
      leadMs: gap > GAP_MS ? 0 : gap,
      isAnswer: attempt === answer,
      record,
      events: events.get(attempt) ?? [],
    });
    lanes.push(lane);
    cursor = Math.max(cursor, lane.to);
  }
  return lanes;
}

/** Returns the attempts in the order of their start. Missing or invalid times become 0. */
function attemptsOf(attempts: readonly AttemptRecord[] | undefined): readonly AttemptRecord[] {
  return (attempts ?? [])
    .map((attempt) => ({
      ...attempt,
      startedMs: time(attempt.startedMs),
      durationMs: time(attempt.durationMs),
    }))
    .sort((one, other) => one.startedMs - other.startedMs);
}

/**
 * Returns the last call whose body may have been sent to the client; of a hedged pair, the call
 * that got a response. Null when there is none.
 */
function answerOf(attempts: readonly AttemptRecord[]): AttemptRecord | null {
  const candidates = attempts.filter(({ end }) => WITH_BODY.has(end));
  const last = candidates.at(-1) ?? null;
  if (last?.hedge === undefined || last.end === 'answered') return last;
  return (
    candidates.findLast(
      ({ target, hedge, end }) => end === 'answered' && hedge !== undefined && target === last.target,
    ) ?? last
  );
}

/**
 * End of a call. It is recorded at the response headers; its body lasts until the end of the
 * request, or until another call continues the stream.
 */
function endOf(
  attempts: readonly AttemptRecord[],
  at: number,
  answer: AttemptRecord | null,
  endMs: number,
): number {
  const attempt = attempts[at] as AttemptRecord;
  const head = attempt.startedMs + attempt.durationMs;
  if (attempt === answer) return Math.max(head, endMs);
  const next = attempts.slice(at + 1).find(({ end }) => end !== 'skipped');
  const isContinued = attempt.end === 'answered' && attempt.hedge === undefined && next !== undefined;
  return isContinued ? Math.max(head, Math.min(next.startedMs, endMs)) : head;
}

interface LaneFacts {
  readonly to: number;
  readonly leadMs: number;
  readonly isAnswer: boolean;
  readonly record: WaterfallRecord;
  readonly events: readonly RoutingEvent[];
}

function attemptLane(attempt: AttemptRecord, at: number, facts: LaneFacts): AttemptLane {
  const { to, leadMs, isAnswer, record, events } = facts;
  const { startedMs: from, hedge, end } = attempt;
  const firstByteMs = isAnswer ? within(record.firstByteMs, from, to) : null;
  return {
    key: `attempt${at}`,
    kind: 'attempt',
    tone: TONES[end] ?? 'quiet',
    ...{ from, to, attempt, isAnswer, leadMs, firstByteMs, events },
    isWinner: hedge !== undefined && end === 'answered',
    tokensPerSecond: firstByteMs === null ? null : speedOf(record, to - firstByteMs),
  };
}

const within = (ms: number | null, from: number, to: number): number | null =>
  ms !== null && ms >= from && ms <= to ? ms : null;

/** Tokens for each second of a stream; null when not streamed or too short. */
const speedOf = ({ streamed, outputTokens }: WaterfallRecord, ms: number): number | null =>
  streamed && outputTokens !== null && outputTokens > 0 && ms >= SPEED_FROM_MS
    ? (outputTokens * 1000) / ms
    : null;

/**
 * Lanes of the guardrails. Input guardrails start with the first call; output guardrails at the
 * first byte, or end with the call.
 */
function guardrailLanes(
  guardrails: readonly GuardrailRecord[],
  lanes: readonly Lane[],
  endMs: number,
): readonly GuardrailLane[] {
  const calls = lanes.filter((lane) => lane.kind === 'attempt');
  const answer = calls.find(({ isAnswer }) => isAnswer) ?? calls.at(-1);
  return guardrails.map((guardrail, at) => {
    const tookMs = time(guardrail.durationMs);
    const inputFrom = calls[0]?.from ?? Math.max(0, endMs - tookMs);
    const outputTo = answer?.to ?? endMs;
    const outputFrom = answer?.firstByteMs ?? Math.max(answer?.from ?? 0, outputTo - tookMs);
    const [from, to] = guardrail.stage === 'input' ? [inputFrom, inputFrom + tookMs] : [outputFrom, outputTo];
    const bounded = Math.min(from, endMs);
    return {
      key: `guardrail${at}`,
      kind: 'guardrail',
      ...{ from: bounded, to: Math.min(endMs, Math.max(bounded, to)), guardrail },
      tone: guardrail.verdict ? 'guardrail' : 'denied',
    };
  });
}

/** Assigns each event to the call of its target that it concerns. */
function placedEvents(attempts: readonly AttemptRecord[], events: readonly RoutingEvent[]) {
  const byAttempt = new Map<AttemptRecord, RoutingEvent[]>();
  const unplaced: RoutingEvent[] = [];
  for (const event of events) {
    const own = attempts.filter(({ target }) => target === event.target);
    const attempt = own.find((one) => ABOUT[event.event]?.(one) === true) ?? own.at(-1);
    if (attempt === undefined) unplaced.push(event);
    else byAttempt.set(attempt, [...(byAttempt.get(attempt) ?? []), event]);
  }
  return { byAttempt, unplaced };
}

/**
 * Tests whether an event concerns a call of its target. Events without a test concern the last
 * call.
 */
const ABOUT: Readonly<Partial<Record<RoutingEvent['event'], (attempt: AttemptRecord) => boolean>>> = {
  breaker_open: ({ end }) => end === 'skipped',
  rate_limited: ({ end }) => end === 'skipped',
  breaker_probe: ({ end, retry }) => retry === 0 && end !== 'skipped',
  breaker_bypassed: ({ end, retry }) => retry === 0 && end !== 'skipped',
  credential_failing: ({ end, retry }) => retry === 0 && end !== 'skipped',
  breaker_closed: ({ end }) => end === 'answered',
  hedged: ({ hedge }) => hedge === 'second',
};

const isTime = (ms: unknown): ms is number => typeof ms === 'number' && Number.isFinite(ms) && ms > 0;
const time = (ms: unknown): number => (isTime(ms) ? ms : 0);
