import type { AttemptEnd, RoutingEvent, TimedStage } from '@gw/contracts';
import { plural } from '../plural';

/** Names of the ends of a call, in a word or two. A status replaces `status`. */
const ENDS: Readonly<Record<AttemptEnd, string>> = {
  answered: 'answered',
  status: 'error status',
  timeout: 'timed out',
  unreachable: 'unreachable',
  interrupted: 'response broke off',
  redirected: 'redirect refused',
  refused: 'address refused',
  client_closed: 'client left',
  skipped: 'skipped',
  denied: 'denied by a guardrail',
  cancelled: 'cancelled, the other call won',
};

const ENDS_LONG: Readonly<Record<AttemptEnd, string>> = {
  answered: 'The provider responded.',
  status: 'The provider responded with an error status.',
  timeout: 'The provider did not respond in time.',
  unreachable: 'No connection to the provider.',
  interrupted: 'The connection broke off before the response was complete.',
  redirected: 'The provider responded with a redirect, which the gateway does not follow.',
  refused: 'The address policy refuses the address.',
  client_closed: 'The client closed its connection.',
  skipped: 'Nothing was sent to the provider.',
  denied: 'A guardrail denied the request or withheld the response.',
  cancelled: 'The other call of the hedged pair got a response first.',
};

const EVENTS: Readonly<Record<RoutingEvent['event'], string>> = {
  breaker_open: 'breaker open',
  breaker_probe: 'breaker probe',
  breaker_bypassed: 'breaker bypassed',
  breaker_opened: 'breaker opened',
  breaker_closed: 'breaker closed',
  credential_failing: 'credential failing',
  rate_limited: 'rate limited',
  rotated: 'rotated',
  retry_budget_spent: 'no retries left',
  wait_budget_spent: 'no waits left',
  call_limit_reached: 'call limit reached',
  hedged: 'hedged',
  hedge_budget_spent: 'no hedges left',
  stream_continued: 'continues the stream',
};

const EVENTS_LONG: Readonly<Record<RoutingEvent['event'], string>> = {
  breaker_open: 'Skipped, because its circuit breaker is open.',
  breaker_probe: 'Called to test whether it has recovered.',
  breaker_bypassed: 'Called although its circuit breaker is open, because no other target was left.',
  breaker_opened: 'Its circuit breaker opened because of this request.',
  breaker_closed: 'Its circuit breaker closed because of this request.',
  credential_failing: 'Moved to the end, because its credential was refused recently.',
  rate_limited: 'Skipped, because it is rate limited.',
  rotated: 'Called in the place of a retry, because its neighbour was rate limited.',
  retry_budget_spent: 'Not retried, because the gateway has no retries left at the moment.',
  wait_budget_spent: 'Not retried, because the wait would exceed the bound of all waits.',
  call_limit_reached: 'No further call, because the request has reached its maximum number of calls.',
  hedged: 'Got a second call, because the first one was slow.',
  hedge_budget_spent: 'Not hedged, because hedging has reached its cost limit for now.',
  stream_continued: 'Called to continue a stream that broke off.',
};

/** In the order of a request. */
const STAGES: Readonly<Record<TimedStage, string>> = {
  accept: 'headers',
  authenticate: 'key',
  receive: 'body',
  validate: 'validation',
  resolve: 'config',
  admit: 'limits',
  attempt: 'calls',
  reply: 'response',
  settle: 'settlement',
};

/** Names of stages in the order of a request. */
export const STAGE_NAMES: readonly string[] = Object.keys(STAGES);

/** Every event that a record may have. */
export const EVENT_NAMES = Object.keys(EVENTS) as RoutingEvent['event'][];

/**
 * Texts of the waterfall. Complete by type: a new end or event of the record does not compile
 * without its text.
 */
export const waterfallText = {
  title: (total: string) => `Where the ${total} went`,
  list: 'Time of the request',
  end: (end: AttemptEnd) => ENDS[end] ?? end,
  endLong: (end: AttemptEnd) => ENDS_LONG[end] ?? end,
  event: (event: RoutingEvent['event']) => EVENTS[event] ?? event,
  eventLong: (event: RoutingEvent['event']) => EVENTS_LONG[event] ?? event,
  after: (word: string, took: string) => `${word} after ${took}`,
  before: 'Gateway, before',
  between: 'Gateway, between',
  afterCalls: 'Gateway, after',
  settle: 'Settlement',
  settleDetail: 'usage, cost, log record',
  stages: (count: number, names: string) => `${plural(count, { one: 'stage', other: 'stages' })}: ${names}`,
  stageName: (name: string) => (Object.hasOwn(STAGES, name) ? STAGES[name as TimedStage] : name),
  stage: (name: string, took: string) => `${name} ${took}`,
  noProvider: 'no provider named',
  noCall: 'No provider was called.',
  waited: 'Waited',
  waitedDetail: 'back-off before the retry',
  firstTry: 'first try',
  retry: (retry: number) => `retry ${retry}`,
  hedge: { first: 'first of two', second: 'second of two' },
  won: 'won',
  answeredClient: 'answered',
  firstToken: (took: string) => `first token ${took}`,
  firstByte: (took: string) => `first byte ${took}`,
  speed: (tokens: string) => `${tokens} tok/s`,
  span: (from: string, to: string) => `from ${from} to ${to}`,
  guardrail: (verdict: boolean, denies: boolean) =>
    verdict ? 'passed' : denies ? 'denied' : 'failed, not denied',
  /** Word for a check, which only its guardrail can deny for. */
  check: (verdict: boolean) => (verdict ? 'passed' : 'failed'),
  guardrailTook: (verdict: string, took: string) => `${verdict}, ${took} in all`,
  guardrailStage: { input: 'input', output: 'output' },
  background: 'in the background',
  observed: 'only observes',
  unplaced: 'Also',
} as const;
