import { EMPTY_LOG_FIELDS, DEFAULT_LOG_FIELDS, type LogFields } from './log-fields';
import type { AttemptRecord, DecisionRecord, LogRecord, Usage } from './log-record';

const DEFAULTS: Partial<LogRecord> = { ...DEFAULT_LOG_FIELDS, usage: null };
const DEFAULT_USAGE: Omit<Usage, 'inputTokens' | 'outputTokens' | 'cacheWrite1hTokens'> = {
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
};
const DEFAULT_DECISION: Partial<DecisionRecord> = {
  strategy: [],
  matchedCondition: null,
  limits: [],
  guardrails: [],
  cache: { status: 'DISABLED', key: null },
  price: null,
};
const DEFAULT_ATTEMPT: Partial<AttemptRecord> = { retry: 0, reason: null };

/** A log record as a gateway sends it, without its default values. */
export type ShippedLogRecord = Partial<Omit<LogRecord, 'decision'>> & {
  readonly decision?: Partial<DecisionRecord>;
};

/** Adds the omitted counts of a usage, which are 0. */
export const completeUsage = (
  usage: Pick<Usage, 'inputTokens' | 'outputTokens'> & Partial<Usage>,
): Usage => ({ ...DEFAULT_USAGE, ...usage });

/**
 * Adds the members that a shipped log record omits. Does not inspect the members that are present,
 * and does not change a complete record.
 */
export function completeLogRecord(shipped: ShippedLogRecord): LogRecord {
  const { usage, decision } = shipped;
  return {
    ...DEFAULTS,
    ...shipped,
    ...(isObject(usage) && { usage: completeUsage(usage) }),
    ...(isObject(decision) && {
      decision: { ...DEFAULT_DECISION, ...decision, attempts: attemptsOf(decision.attempts) },
    }),
  } as LogRecord;
}

/** The fields that every creator of a log record must provide. The other fields are optional. */
export type LogRecordFacts = Pick<LogRecord, 'id' | 'createdAt' | 'method' | 'url' | 'route' | 'outcome'> &
  Partial<LogFields> & {
    readonly usage?: Usage | null;
    readonly decision?: Partial<DecisionRecord>;
  };

const NO_DECISION: Partial<DecisionRecord> = {
  config: { source: 'none', slug: null, versionId: null },
  stages: {},
};

/**
 * Creates a complete log record. Missing fields get the default values that `LOG_FIELDS` declares.
 */
export const newLogRecord = ({ decision, ...facts }: LogRecordFacts): LogRecord =>
  completeLogRecord({ ...EMPTY_LOG_FIELDS, ...facts, decision: { ...NO_DECISION, ...decision } });

const attemptsOf = (attempts: readonly AttemptRecord[] | undefined): readonly AttemptRecord[] =>
  Array.isArray(attempts)
    ? attempts.map((attempt: AttemptRecord) => ({ ...DEFAULT_ATTEMPT, ...attempt }))
    : [];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
