import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestFacts } from '../common/principal';
import type { Identity } from './identity';

/** Requests that a route makes to other routes of this process, for its own caller and without a connection. */
export interface DispatchedCall {
  /** Caller that authenticated the request of the first route. */
  readonly identity: Identity;
  /** Origin of the call for the audit log. */
  readonly facts: RequestFacts;
  /** How many there were. Each but the first counts in the rate limit of the credential. */
  requests: number;
}

const calls = new AsyncLocalStorage<DispatchedCall>();

/** The call within which the current request runs; undefined for a request from the network. */
export const dispatchedCall = (): DispatchedCall | undefined => calls.getStore();

/** Runs `run`, whose requests to this process are those of the caller. */
export const withinDispatch = <T>(call: DispatchedCall, run: () => Promise<T>): Promise<T> =>
  calls.run(call, run);
