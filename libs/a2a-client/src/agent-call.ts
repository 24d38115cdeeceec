import type { ResponseMemory } from '@gw/outbound';
import type { AgentInterface, Members, Operation } from '@gw/a2a';

/** Time limits of one call, in milliseconds. */
export interface AgentTimeouts {
  readonly connectMs: number;
  /** Time until a whole response, or the head of a stream, has arrived. */
  readonly responseMs: number;
  /** Maximum silence of a stream; every byte restarts it. */
  readonly idleMs: number;
  /** Maximum duration of a stream. */
  readonly streamMs: number;
}

export const AGENT_TIMEOUTS: AgentTimeouts = {
  connectMs: 5_000,
  responseMs: 120_000,
  idleMs: 300_000,
  streamMs: 3_600_000,
};

/** A call of an agent. `params` have the shape of the version of its interface. */
export interface AgentCall {
  readonly operation: Operation;
  readonly params: Members;
  /** Headers of every request to the agent, such as its credential. */
  readonly credential: Readonly<Record<string, string>>;
  /** Headers of the caller that are forwarded. */
  readonly passed: Readonly<Record<string, string>>;
  /** URIs of the extensions to activate. */
  readonly extensions: readonly string[];
  /** Aborts the call; its reason becomes the error of the call. */
  readonly signal: AbortSignal;
  readonly timeouts: AgentTimeouts;
  /**
   * Counts the bytes of a response, which the owner of the response frees, and those of an event
   * while its reader processes it. Absent to count none.
   */
  readonly memory?: ResponseMemory;
}

/** Fields of an agent's interface that the bindings use. */
export type Interface = Pick<AgentInterface, 'url' | 'binding' | 'version' | 'tenant'>;
