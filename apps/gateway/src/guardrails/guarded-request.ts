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

/** What runs guardrails, for all requests. */
export interface GuardTools extends Judges {
  readonly background: BackgroundChecks;
  readonly models: {
    /** Calls a model for a check of a request. Rejects with a `CheckError`. */
    ask(request: RequestContext, call: ModelCall): Promise<JsonObject>;
  };
}

/** What the attempts and responses of a request report to its guardrails. */
export interface GuardReports {
  /** The guardrails of the stream that is handed on; null: none, or there is no stream. */
  streamed: readonly CompiledGuardrail[] | null;
  note(stage: GuardrailStage, results: readonly GuardrailResult[]): void;
  /** Charges a response that the client does not get. */
  noteUse(answer: GatewayResponse, facts: ResponseFacts): void;
  /** Runs asynchronous guardrails, whose verdicts are for the log alone. */
  watch(stage: GuardrailStage, guardrails: readonly CompiledGuardrail[], subject: Subject): void;
  /** As `watch`, once the response has been sent up to its last byte, or its client has left. */
  judgeAtEnd(start: () => Promise<readonly GuardrailResult[]> | null): void;
}

/** A request that has passed its input guardrails. */
export interface GuardedRequest {
  readonly facts: RequestFacts;
  /** Its body, as it was sent. */
  readonly request: unknown;
  readonly verdict: StageVerdict;
  readonly output: readonly CompiledGuardrail[];
  /** An output guardrail judges the response before it goes on. */
  readonly judges: boolean;
}

export const isAsync = ({ actions }: CompiledGuardrail): boolean => actions.async === true;
