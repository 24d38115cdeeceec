import { AGENTS_SCOPE } from '@gw/a2a';
import { documentKey, type AgentServerDocument, type DocumentKey } from '@gw/contracts';
import { readDocument, type Documents } from '../../auth/documents';
import { userRoles } from '@gw/mcp';
import { namesUsers } from '../../auth/caller-users';
import { mayUse } from '../agent-view';
import type { PushRecord } from './push-store';

/** Finds the agent of a registration while the caller who registered may still use it. */
export class PushAgents {
  constructor(private readonly documents: Documents) {}

  /**
   * Returns the agent's document; null when the workspace no longer has the agent, the key, trust
   * or grant that registered is no longer valid, or its caller may no longer use the agent.
   */
  async of(record: PushRecord): Promise<AgentServerDocument | null> {
    const { agentId, owner, caller, callerId } = record;
    if (caller !== null && !(await this.isValid(caller, callerId))) return null;
    const key = documentKey.agentServer(owner.workspaceId, agentId);
    const document = await readDocument(this.documents, key);
    if (document?.kind !== 'agent_server' || document.id !== agentId) return null;
    return (await this.mayStillUse(record, document)) ? document : null;
  }

  private async mayStillUse(
    { subject, owner, organisationId }: PushRecord,
    document: AgentServerDocument,
  ): Promise<boolean> {
    if (subject === undefined) return true;
    const { userId } = subject;
    const key = userId === null || !namesUsers(document) ? null : documentKey.user(organisationId, userId);
    const read = key === null ? null : await readDocument(this.documents, key);
    const user = read?.kind === 'user' ? read : null;
    return mayUse(document, {
      ...subject,
      groups: user?.groups ?? [],
      roles: user === null ? [] : userRoles(user, owner.workspaceId),
      scopes: [AGENTS_SCOPE],
      key: null,
    });
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
