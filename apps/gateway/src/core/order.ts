/**
 * Everything that acts on a request, in order, decided here alone; `docs/request-lifecycle.md` says what each does. Stages run once
 * for each request. Around stages wrap each attempt that the stage before them makes, from the outside in, where the request uses them.
 */
export const ORDER = [
  { stage: 'accept' },
  { stage: 'authenticate' },
  { stage: 'receive' },
  { stage: 'prompt' },
  { stage: 'validate' },
  { stage: 'resolve' },
  { stage: 'admit' },
  { stage: 'idempotency' },
  { stage: 'attempt' },
  { around: 'hedge' },
  { around: 'target' },
  { around: 'targetLimits' },
  { around: 'guardrails' },
  { around: 'build' },
  { around: 'integratedModels' },
  { around: 'followUp' },
  { around: 'cache' },
  { stage: 'renderedReply' },
  { stage: 'replayedReply' },
  { stage: 'session' },
  { stage: 'reply' },
] as const;

type Entry = (typeof ORDER)[number];
export type StageName = Extract<Entry, { stage: string }>['stage'];
export type AroundName = Extract<Entry, { around: string }>['around'];

export const STAGE_ORDER: readonly StageName[] = ORDER.flatMap((entry) =>
  'stage' in entry ? [entry.stage] : [],
);
export const AROUND_ORDER: readonly AroundName[] = ORDER.flatMap((entry) =>
  'around' in entry ? [entry.around] : [],
);

/** Stages that nearly every request passes at once: their time counts as part of the next timed stage. */
const UNTIMED: ReadonlySet<StageName> = new Set([
  'prompt',
  'idempotency',
  'renderedReply',
  'replayedReply',
  'session',
]);
const TIMED = STAGE_ORDER.filter((name) => !UNTIMED.has(name));

/** Names of the members of `RequestContext.stageMs`. */
export const TIMED_STAGES: readonly string[] = [...TIMED, 'settle'];
export const RECEIVE_STAGE = TIMED.indexOf('receive');
export const SETTLE_STAGE = TIMED.length;
/** The index of a stage's time; -1: it has none. */
export const timeIndexOf = (name: StageName): number => TIMED.indexOf(name);
