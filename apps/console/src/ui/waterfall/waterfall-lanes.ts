import type { AttemptRecord, DecisionRecord, GuardrailRecord, RoutingEvent } from '@gw/contracts';

/** Fields of a log that the drawing uses. Members that old or uploaded logs lack are null or absent. */
export interface WaterfallRecord {
  /** The whole request, in milliseconds. */
  readonly durationMs: number;
  /** Milliseconds until the first byte of the body reached the client. */
  readonly firstByteMs: number | null;
  readonly streamed: boolean;
  readonly outputTokens: number | null;
  readonly decision: Partial<DecisionRecord>;
}

/** `answered` and so on are colours with a meaning; each lane has its word too. */
export type LaneTone =
  'answered' | 'failed' | 'timeout' | 'denied' | 'quiet' | 'gateway' | 'waited' | 'guardrail';

interface LaneBase {
  readonly key: string;
  /** Milliseconds since the start of the request. */
  readonly from: number;
  readonly to: number;
  readonly tone: LaneTone;
}

/** Work of the gateway: before the first call, between calls, after the last one, or settling. */
export interface GatewayLane extends LaneBase {
  readonly kind: 'before' | 'between' | 'after' | 'settle';
  /** Stages with their milliseconds. */
  readonly stages: readonly (readonly [name: string, ms: number])[];
}

/** The wait before a retry of the same target. */
export interface WaitLane extends LaneBase {
  readonly kind: 'waited';
}

/** One call of a provider, or a target that was skipped. */
export interface AttemptLane extends LaneBase {
  readonly kind: 'attempt';
  readonly attempt: AttemptRecord;
  /** Its response reached the client. */
  readonly isAnswer: boolean;
  /** First of a hedged pair to get a response. */
  readonly isWinner: boolean;
  /** Time of the gateway before the call, at most 1 ms, that has no lane of its own. */
  readonly leadMs: number;
  /** Milliseconds since the start of the request; null: not the answer, or no body. */
  readonly firstByteMs: number | null;
  /** Tokens per second after the first byte; null: not streamed, or too short to say. */
  readonly tokensPerSecond: number | null;
  readonly events: readonly RoutingEvent[];
}

/** A guardrail. Its time is part of other lanes. */
export interface GuardrailLane extends LaneBase {
  readonly kind: 'guardrail';
  readonly guardrail: GuardrailRecord;
}

export type Lane = GatewayLane | WaitLane | AttemptLane | GuardrailLane;

export interface WaterfallLayout {
  readonly totalMs: number;
  /** In the order of their drawing. */
  readonly lanes: readonly Lane[];
  /** Events of targets that have no lane. */
  readonly unplaced: readonly RoutingEvent[];
}
