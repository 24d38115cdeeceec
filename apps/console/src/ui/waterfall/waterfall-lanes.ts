import type { AttemptRecord, DecisionRecord, GuardrailRecord, RoutingEvent } from '@gw/contracts';

/**
 * Fields of a log that the waterfall uses. Members that old or uploaded logs lack are null or
 * absent.
 */
export interface WaterfallRecord {
  /** Duration of the request in milliseconds. */
  readonly durationMs: number;
  /** Milliseconds until the first byte of the body reached the client. */
  readonly firstByteMs: number | null;
  readonly streamed: boolean;
  readonly outputTokens: number | null;
  readonly decision: Partial<DecisionRecord>;
}

/** Colour of a lane by its meaning; each lane also has a word. */
export type LaneTone =
  'answered' | 'failed' | 'timeout' | 'denied' | 'quiet' | 'gateway' | 'waited' | 'guardrail';

interface LaneBase {
  readonly key: string;
  /** Milliseconds since the start of the request. */
  readonly from: number;
  readonly to: number;
  readonly tone: LaneTone;
}

/**
 * Lane of the gateway's own work: before the first call, between calls, after the last one, or
 * settling.
 */
export interface GatewayLane extends LaneBase {
  readonly kind: 'before' | 'between' | 'after' | 'settle';
  /** Stages with their durations in milliseconds. */
  readonly stages: readonly (readonly [name: string, ms: number])[];
}

/** Lane of the wait before a retry of the same target. */
export interface WaitLane extends LaneBase {
  readonly kind: 'waited';
}

/** Lane of one provider call, or of a target that was skipped. */
export interface AttemptLane extends LaneBase {
  readonly kind: 'attempt';
  readonly attempt: AttemptRecord;
  /** True when the response of this call reached the client. */
  readonly isAnswer: boolean;
  /** True for the first call of a hedged pair to get a response. */
  readonly isWinner: boolean;
  /** Gateway time before the call that is too short (at most 1 ms) for a separate lane. */
  readonly leadMs: number;
  /**
   * First byte in milliseconds since the start of the request; null when the call is not the
   * response or has no body.
   */
  readonly firstByteMs: number | null;
  /**
   * Tokens for each second after the first byte; null when not streamed or too short to measure.
   */
  readonly tokensPerSecond: number | null;
  readonly events: readonly RoutingEvent[];
}

/** Lane of a guardrail, whose time is part of other lanes. */
export interface GuardrailLane extends LaneBase {
  readonly kind: 'guardrail';
  readonly guardrail: GuardrailRecord;
}

export type Lane = GatewayLane | WaitLane | AttemptLane | GuardrailLane;

export interface WaterfallLayout {
  readonly totalMs: number;
  /** Lanes in display order. */
  readonly lanes: readonly Lane[];
  /** Events of targets without a lane. */
  readonly unplaced: readonly RoutingEvent[];
}
