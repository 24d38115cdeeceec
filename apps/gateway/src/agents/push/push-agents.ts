import { documentKey, type AgentServerDocument } from '@gw/contracts';
import { readDocument, type Documents } from '../../auth/documents';
import type { PushRecord } from './push-store';

/** Finds the agent of a registration, as long as the caller who registered may use it. */
export class PushAgents {
  constructor(private readonly documents: Documents) {}

  /** Null: the agent is gone for the workspace, or the API key that registered is no longer valid. */
  async of({ agentId, owner, caller }: PushRecord): Promise<AgentServerDocument | null> {
    if (caller !== null && !(await this.isValid(caller))) return null;
    const key = documentKey.agentServer(owner.workspaceId, agentId);
    const document = await readDocument(this.documents, key);
    return document?.kind === 'agent_server' && document.id === agentId ? document : null;
  }

  private async isValid(caller: string): Promise<boolean> {
    const key = await readDocument(this.documents, caller);
    if (key?.kind !== 'api_key' || key.status === 'archived' || key.status === 'expired') return false;
    return key.expiresAt === null || Date.parse(key.expiresAt) > Date.now();
  }
}
