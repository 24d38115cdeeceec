import type { ServerResponse } from 'node:http';
import type { Shares } from '@gw/kernel';
import { HeldMemory, type ResponseMemory } from '@gw/outbound';

/** A workspace, which has a share of the memory for bodies. */
export interface MemoryOwner {
  readonly workspaceId: string;
  readonly organisationId: string;
}

/** The share of a workspace for work that outlives a request. It is found again each time, since empty shares are forgotten. */
export const workspaceMemory = (
  memory: Shares,
  { workspaceId, organisationId }: MemoryOwner,
): ResponseMemory => ({
  take: (bytes) => memory.of(workspaceId, organisationId).take(bytes),
  give: (bytes) => memory.of(workspaceId, organisationId).give(bytes),
});

/** Memory for the responses of one request, until `endWithResponse`. */
export const requestMemory = (memory: Shares, { workspaceId, organisationId }: MemoryOwner): HeldMemory =>
  new HeldMemory(memory.of(workspaceId, organisationId));

/** Frees what a request holds once its client has the response or left. Called when the work on the request is over. */
export function endWithResponse(held: HeldMemory, res: ServerResponse): void {
  if (res.closed) held.end();
  else res.once('close', () => held.end());
}
