import { GatewayError, type ErrorDetail } from '@gw/kernel';
import { QueryBooleanField } from '@gw/web';

/** Maximum number of uses listed in an error. */
export const NAMED_MAX = 50;

export class DeleteQuery {
  @QueryBooleanField({
    optional: true,
    description: 'Deletes the resource even if other resources use it; their requests then fail.',
  })
  force?: boolean;
}

/** Throws `conflict` with the uses of a resource that is to be deleted. */
export function assertNotUsed(message: string, uses: readonly ErrorDetail[]): void {
  if (uses.length > 0) throw new GatewayError('conflict', { message, details: uses.slice(0, NAMED_MAX) });
}

/**
 * Throws `conflict` with the uses, unless `force` is true. `name` begins the message: `The
 * provider`.
 */
export function assertDeletable(
  name: string,
  uses: readonly ErrorDetail[],
  { force = false }: DeleteQuery,
): void {
  if (!force) assertNotUsed(`${name} is in use; remove the listed uses first, or send force=true.`, uses);
}
