import type { ErrorDetail } from '@gw/kernel';

/**
 * Thrown to roll back a dry run that passed all checks, and to skip everything after the commit.
 */
export class DryRunChecked extends Error {
  override readonly name = 'DryRunChecked';

  constructor(
    readonly warnings: readonly ErrorDetail[],
    /** Entries that the request would have written to the audit log. */
    readonly entries: readonly object[],
  ) {
    super();
  }
}

/**
 * Returns the warnings of a response; its other members describe a resource that a dry run does not
 * create.
 */
export const warningsOf = (response: unknown): readonly ErrorDetail[] =>
  (response as { readonly warnings?: readonly ErrorDetail[] } | undefined)?.warnings ?? [];
