import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestFacts } from '../common/principal';
import type { Identity } from './identity';

/**
 * Requests that a route dispatches to other routes of this process, for its own caller and without
 * a connection.
 */
export interface DispatchedCall {
  /** Identity that authenticated the request of the dispatching route. */
  readonly identity: Identity;
  /** Origin of the call for the audit log. */
  readonly facts: RequestFacts;
  /**
   * Number of dispatched requests. Each except the first counts in the rate limit of the
   * credential.
   */
  requests: number;
}

const calls = new AsyncLocalStorage<DispatchedCall>();

/**
 * Returns the call that dispatched the current request; undefined for a request from the network.
 */
export const dispatchedCall = (): DispatchedCall | undefined => calls.getStore();

/** Runs `run`; requests that it sends to this process have the identity of `call`. */
export const withinDispatch = <T>(call: DispatchedCall, run: () => Promise<T>): Promise<T> =>
  calls.run(call, run);
