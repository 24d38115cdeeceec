import type { CheckedCall } from '@gw/a2a';
import type { ResponseMemory } from '@gw/outbound';
import type { RequestContext } from '../core/request-context';
import type { CallReply } from '../reply/call-reply';
import type { AgentView } from './agent-view';
import type { ResponseForm } from './response-form';

/** One request of a client to an agent. */
export interface AgentRequest {
  readonly context: RequestContext;
  readonly view: AgentView;
  readonly call: CheckedCall;
  /** URIs of extensions that the client names and the agent has. */
  readonly extensions: readonly string[];
  /** Path of the agent as the client named it. */
  readonly path: string;
  readonly form: ResponseForm;
  readonly reply: CallReply;
  /** Counts the bytes of responses of the agent until the client has them. */
  readonly memory: ResponseMemory;
  /** Aborts a minute after the client left: a client that leaves does not cancel. */
  readonly signal: AbortSignal;
}
