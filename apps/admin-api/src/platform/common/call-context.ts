import type { RequestClaim } from '@gw/entities';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts of a request that every transaction needs, regardless of which service opens it. */
export interface CallContext {
  /**
   * Claim of a request with an `Idempotency-Key`; the change and the record of its completion
   * commit together.
   */
  readonly claim: RequestClaim | null;
  /** True for a dry run: all checks run, then the change is rolled back. */
  readonly isDryRun: boolean;
  /**
   * Body members that cannot be changed, with their sent values. The update refuses values that
   * differ from the current ones.
   */
  readonly fixed?: ReadonlyMap<string, unknown>;
}

const calls = new AsyncLocalStorage<CallContext>();

export const currentCall = (): CallContext | undefined => calls.getStore();

/**
 * Runs the rest of a request with `context`; `currentCall` returns it everywhere in that request.
 */
export const withinCall = <T>(context: CallContext, run: () => Promise<T>): Promise<T> =>
  calls.run(context, run);

const collectors = new AsyncLocalStorage<object[]>();

/** Runs a call and collects the entries that its dry runs would have written to the audit log. */
export async function collectingChecked<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly entries: readonly object[] }> {
  const entries: object[] = [];
  return { result: await collectors.run(entries, run), entries };
}

/**
 * Collects the audit entries of a dry run that passed all checks, for the caller of
 * `collectingChecked`.
 */
export const noteChecked = (entries: readonly object[]): void => {
  collectors.getStore()?.push(...entries);
};

/** A resource that a request created or changed, as of the commit of its transaction. */
export interface Written {
  /** Null for a resource without an id. */
  readonly id: string | null;
  readonly slug?: string;
  readonly etag: string;
}

interface LastWrite {
  written: Written | null;
}

const lastWrites = new AsyncLocalStorage<LastWrite>();

/** Runs a request and returns what its last transaction wrote; null when that has no etag. */
export async function collectingWritten<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly written: Written | null }> {
  const last: LastWrite = { written: null };
  const result = await lastWrites.run(last, run);
  return { result, written: last.written };
}

/** Records what a committed transaction wrote, for the caller of `collectingWritten`. */
export function noteWritten(written: Written | null): void {
  const last = lastWrites.getStore();
  if (last) last.written = written;
}
