import { AGENTS_SCOPE } from '@gw/a2a';
import { documentKey, type AgentServerDocument, type DocumentKey } from '@gw/contracts';
import { readDocument, type Documents } from '../../auth/documents';
import type { PushRecord } from './push-store';

/** Finds the agent of a registration while the caller who registered may still use it. */
export class PushAgents {
  constructor(private readonly documents: Documents) {}

  /**
   * Returns the agent's document; null when the workspace no longer has the agent, or the key,
   * trust or grant that registered is no longer valid.
   */
  async of({ agentId, owner, caller, callerId }: PushRecord): Promise<AgentServerDocument | null> {
    if (caller !== null && !(await this.isValid(caller, callerId))) return null;
    const key = documentKey.agentServer(owner.workspaceId, agentId);
    const document = await readDocument(this.documents, key);
    return document?.kind === 'agent_server' && document.id === agentId ? document : null;
  }

  private async isValid(caller: DocumentKey, id: string | undefined): Promise<boolean> {
    const right = await readDocument(this.documents, caller);
    if (right?.kind === 'trusts') return right.trusts.some((trust) => trust.id === id);
    if (right?.kind !== 'api_key' && right?.kind !== 'oauth_grant') return false;
    const hasEnded = right.kind === 'api_key' && (right.status === 'archived' || right.status === 'expired');
    if (hasEnded || !right.scopes.includes(AGENTS_SCOPE)) return false;
    return right.expiresAt === null || Date.parse(right.expiresAt) > Date.now();
  }
}
