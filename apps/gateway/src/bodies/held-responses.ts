import type { ServerResponse } from 'node:http';
import type { Shares } from '@gw/kernel';
import { HeldMemory, type ResponseMemory } from '@gw/outbound';

/** A workspace, by which memory for bodies is shared. */
export interface MemoryOwner {
  readonly workspaceId: string;
  readonly organisationId: string;
}

/**
 * Returns the memory share of a workspace for work that outlives a request. The share is looked up
 * each time, because empty shares are removed.
 */
export const workspaceMemory = (
  memory: Shares,
  { workspaceId, organisationId }: MemoryOwner,
): ResponseMemory => ({
  take: (bytes) => memory.of(workspaceId, organisationId).take(bytes),
  give: (bytes) => memory.of(workspaceId, organisationId).give(bytes),
});

/** Returns the memory for the responses of one request, which is held until `endWithResponse`. */
export const requestMemory = (memory: Shares, { workspaceId, organisationId }: MemoryOwner): HeldMemory =>
  new HeldMemory(memory.of(workspaceId, organisationId));

/**
 * Frees the memory of a request once its client has received the response or has disconnected. Call
 * it when the work on the request is done.
 */
export function endWithResponse(held: HeldMemory, res: ServerResponse): void {
  if (res.closed) held.end();
  else res.once('close', () => held.end());
}
