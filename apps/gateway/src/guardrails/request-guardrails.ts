import type { GuardrailRecord } from '@gw/contracts';
import type { ModelCaller } from '@gw/guardrails';
import type { AttemptListener } from '../attempt/gateway-response';
import type { RequestView } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import type { LateVerdicts } from './late-verdicts';
import type { SessionGuarding } from './sessions/session-guarding';

/** Sends an attempt with the request that the guardrails returned. */
export type Send = (request: RequestView, listener: AttemptListener) => void;

/** The guardrails of one request, as other stages use them. `Guarding` implements it. */
export interface RequestGuardrails extends ModelCaller {
  readonly records: readonly GuardrailRecord[];
  /** The background runs of the request. */
  readonly late: LateVerdicts;
  /**
   * Runs the input guardrails and calls `send` if they pass. Throws a denial or reports it to the
   * listener.
   */
  attempt(upstream: Upstream, listener: AttemptListener, send: Send): void;
  /** Returns the guardrails that judge the request and its responses, with their versions. */
  versions(): readonly string[];
  /**
   * Returns the guardrails for the messages of a session with this upstream; null when there are
   * none.
   */
  session(upstream: Upstream): SessionGuarding | null;
}
