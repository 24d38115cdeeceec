import type { TimedStage } from '@gw/contracts';

/**
 * The order of everything that acts on a request; `docs/request-lifecycle.md` describes each entry.
 * Stages run once for each request. Around stages wrap each attempt made by the stage listed before
 * them, outermost first, and run only for requests that use them.
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
  { around: 'renewal' },
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

/**
 * Stages that return no promise for most requests, so that their time is not measured. It counts
 * towards the next timed stage.
 */
const UNTIMED = ['prompt', 'idempotency', 'renderedReply', 'replayedReply', 'session'] as const;
type UntimedName = (typeof UNTIMED)[number];
const isTimed = (name: StageName): name is Exclude<StageName, UntimedName> =>
  !(UNTIMED as readonly StageName[]).includes(name);
const TIMED = STAGE_ORDER.filter(isTimed);

/** Names of the entries of `RequestContext.stageMs`. */
export const TIMED_STAGES: readonly TimedStage[] = [...TIMED, 'settle'];
export const RECEIVE_STAGE = TIMED.indexOf('receive');
export const SETTLE_STAGE = TIMED.length;
/** Index of a stage's time in `stageMs`; -1 when the stage is not timed. */
export const timeIndexOf = (name: StageName): number => (TIMED as readonly StageName[]).indexOf(name);
