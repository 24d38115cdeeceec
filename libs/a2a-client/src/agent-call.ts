import type { ResponseMemory } from '@gw/outbound';
import type { A2aVersion, AgentInterface, Members, Operation } from '@gw/a2a';

/** Time limits of one call, in milliseconds. */
export interface AgentTimeouts {
  readonly connectMs: number;
  /** Until a response without a stream is complete, and until the head of a stream. */
  readonly responseMs: number;
  /** Silence of a stream; every byte restarts it. */
  readonly idleMs: number;
  /** A whole stream. */
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
  /** Headers of the caller that are passed on. */
  readonly passed: Readonly<Record<string, string>>;
  /** URIs of extensions for the agent. */
  readonly extensions: readonly string[];
  /** Its reason is the error of an aborted call. */
  readonly signal: AbortSignal;
  readonly timeouts: AgentTimeouts;
  /**
   * Counts the bytes of a response, which its owner frees, and those of an event while its reader
   * has it. Absent: they are not counted.
   */
  readonly memory?: ResponseMemory;
}

/** Header that lists extensions, in lower case. */
export const EXTENSIONS_HEADER: Readonly<Record<A2aVersion, string>> = {
  '0.3': 'x-a2a-extensions',
  '1.0': 'a2a-extensions',
};

/** Fields of an agent's interface that the bindings use. */
export type Interface = Pick<AgentInterface, 'url' | 'binding' | 'version' | 'tenant'>;
