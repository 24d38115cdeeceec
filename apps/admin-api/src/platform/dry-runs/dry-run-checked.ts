import type { ErrorDetail } from '@gw/kernel';

/** Ends the transaction of a dry run that nothing refused, and everything that would come after its commit. */
export class DryRunChecked extends Error {
  override readonly name = 'DryRunChecked';

  constructor(readonly warnings: readonly ErrorDetail[]) {
    super();
  }
}

/** What the response would warn of. The rest of it would name what is not made. */
export const warningsOf = (response: unknown): readonly ErrorDetail[] =>
  (response as { readonly warnings?: readonly ErrorDetail[] } | undefined)?.warnings ?? [];
