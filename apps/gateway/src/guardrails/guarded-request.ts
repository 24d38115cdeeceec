import type {
  CompiledGuardrail,
  GuardrailResult,
  GuardrailStage,
  ModelCall,
  RequestFacts,
  StageVerdict,
  Subject,
} from '@gw/guardrails';
import type { ResponseFacts, JsonObject } from '@gw/providers';
import type { RequestContext } from '../core/request-context';
import type { BackgroundChecks } from './background-checks';
import type { Judges } from './sessions/session-guarding';
import type { GatewayResponse } from '../attempt/gateway-response';

/** The parts that run guardrails for all requests. */
export interface GuardTools extends Judges {
  readonly background: BackgroundChecks;
  readonly models: {
    /** Makes a model call of a check of `request`. Rejects with a `CheckError`. */
    ask(request: RequestContext, call: ModelCall): Promise<JsonObject>;
  };
}

/** How the attempts and responses of a request report to its guardrails. */
export interface GuardReports {
  /**
   * The guardrails of the stream that is being forwarded; null when there is no stream or no
   * guardrail.
   */
  streamed: readonly CompiledGuardrail[] | null;
  note(stage: GuardrailStage, results: readonly GuardrailResult[]): void;
  /** Charges a response that the client does not receive. */
  addUse(response: GatewayResponse, facts: ResponseFacts): void;
  /** Runs asynchronous guardrails, whose verdicts only go to the log. */
  watch(stage: GuardrailStage, guardrails: readonly CompiledGuardrail[], subject: Subject): void;
  /**
   * Like `watch`, but starts once the last byte of the response is sent or the client has
   * disconnected.
   */
  judgeAtEnd(start: () => Promise<readonly GuardrailResult[]> | null): void;
}

/** A request that has passed its input guardrails. */
export interface GuardedRequest {
  readonly facts: RequestFacts;
  /** The request body as it was sent. */
  readonly request: unknown;
  readonly verdict: StageVerdict;
  readonly output: readonly CompiledGuardrail[];
  /** True when an output guardrail judges the response before it is forwarded. */
  readonly judgesOutput: boolean;
}

export const isAsync = ({ actions }: CompiledGuardrail): boolean => actions.async === true;
