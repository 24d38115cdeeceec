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
  /** URIs of extensions that the client requests and the agent supports. */
  readonly extensions: readonly string[];
  /** Path of the agent as the client named it. */
  readonly path: string;
  readonly form: ResponseForm;
  readonly reply: CallReply;
  /** Counts the bytes of the agent's responses until the client has received them. */
  readonly memory: ResponseMemory;
  /**
   * Aborts a minute after the client has disconnected, because a disconnect does not cancel a task.
   */
  readonly signal: AbortSignal;
}
