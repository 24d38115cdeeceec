import type { DocumentKey, ReadModelDocument, UserDocument } from '@gw/contracts';
import type { EntityManager } from 'typeorm';
import { userFacts } from '../platform/rows/user-facts.queries';
import { versioned } from './document-builders';
import type { WantedRow } from './document-keys';

type Wanted = Extract<WantedRow, { kind: 'user' }> & { readonly key: DocumentKey };

/** Adds the documents of users who are active in their organisations. */
export async function addUsers(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Map<DocumentKey, ReadModelDocument>,
): Promise<void> {
  const rows = await userFacts(manager, wanted);
  const byName = new Map(rows.map((row) => [`${row.organisationId}:${row.userId}`, row]));
  for (const { key, organisationId, userId } of wanted) {
    const row = byName.get(`${organisationId}:${userId}`);
    if (row === undefined) continue;
    const { organisationRole, workspaceRoles, groups } = row;
    to.set(
      key,
      versioned<UserDocument>({
        ...{ kind: 'user', userId, organisationId, organisationRole, workspaceRoles, groups },
      }),
    );
  }
}
