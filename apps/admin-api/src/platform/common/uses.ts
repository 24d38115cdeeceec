import { GatewayError, type ErrorDetail } from '@gw/kernel';
import { QueryBooleanField } from '@gw/web';

/** Uses that are named at most; the rest is as good a reason as these. */
export const NAMED_MAX = 50;

export class DeleteQuery {
  @QueryBooleanField({
    optional: true,
    description: 'True: deletes it although others name it; their requests then fail.',
  })
  force?: boolean;
}

/** Throws `conflict` with what still names a resource that is to be deleted. */
export function assertNotUsed(message: string, uses: readonly ErrorDetail[]): void {
  if (uses.length > 0) throw new GatewayError('conflict', { message, details: uses.slice(0, NAMED_MAX) });
}

/** The same, unless the caller deletes it all the same. `name` begins a sentence: `The provider`. */
export function assertDeletable(
  name: string,
  uses: readonly ErrorDetail[],
  { force = false }: DeleteQuery,
): void {
  if (!force) assertNotUsed(`${name} is in use; take it out there first, or send force=true.`, uses);
}
