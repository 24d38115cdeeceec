import type { RequestClaim } from '@gw/entities';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What the transactions of one request have to know of it, whatever service opens them. */
export interface CallContext {
  /** The request came under an `Idempotency-Key`: its change commits together with the note that it was carried out. */
  readonly claim: RequestClaim | null;
  /** Everything is checked as for a change, and the change is rolled back. */
  readonly isDryRun: boolean;
  /** Members of the body that name what cannot be changed: the update refuses those that are not what they were. */
  readonly fixed?: ReadonlyMap<string, unknown>;
}

const calls = new AsyncLocalStorage<CallContext>();

export const currentCall = (): CallContext | undefined => calls.getStore();

/** Runs the rest of a request so that `currentCall` gives the context everywhere in it. */
export const withinCall = <T>(context: CallContext, run: () => Promise<T>): Promise<T> =>
  calls.run(context, run);
