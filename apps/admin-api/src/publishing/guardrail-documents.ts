import { UUID } from '@gw/kernel';
import type { DocumentKey, GuardrailDocument, ReadModelDocument } from '@gw/contracts';
import { GuardrailEntity, GuardrailVersionEntity, WorkspaceEntity } from '@gw/entities';
import { In, type EntityManager } from 'typeorm';
import {
  referenceRows,
  type GuardrailCredentials,
  type SealedSecrets,
} from '../platform/credentials/guardrail-credentials';
import { versioned } from './document-builders';

interface Wanted {
  readonly key: DocumentKey;
  readonly workspaceId: string;
  readonly name: string;
}

/**
 * Adds the documents of guardrails by slug or id: those of the key's workspace and of its
 * organisation.
 */
export async function addGuardrails(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Map<DocumentKey, ReadModelDocument>,
  credentials: GuardrailCredentials,
): Promise<void> {
  if (wanted.length === 0) return;
  const workspaces = await manager.find(WorkspaceEntity, {
    where: { id: In(wanted.map(({ workspaceId }) => workspaceId)), status: 'active' },
    select: { id: true, organisationId: true },
  });
  const organisationOf = new Map(workspaces.map(({ id, organisationId }) => [id, organisationId]));
  const live = { organisationId: In([...new Set(organisationOf.values())]), status: 'active' } as const;
  const names = wanted.map(({ name }) => name);
  const rows = await manager.find(GuardrailEntity, {
    where: [
      { ...live, slug: In(names) },
      { ...live, id: In(names.filter((name) => UUID.test(name))) },
    ],
  });
  const versionIds = rows.map(({ currentVersionId }) => currentVersionId);
  const versions = new Map(
    (await manager.findBy(GuardrailVersionEntity, { id: In(versionIds) })).map((row) => [row.id, row]),
  );
  const byName = new Map(
    rows.flatMap((row) => [row.slug, row.id].map((name) => [`${row.organisationId}:${name}`, row] as const)),
  );
  const checks = [...versions.values()].flatMap((version) => version.checks);
  const organisationIds = [...new Set(rows.map(({ organisationId }) => organisationId))];
  const accounts = await credentials.accountsOf(manager, organisationIds, checks);
  const references = await referenceRows(manager, checks);
  for (const { key, workspaceId, name } of wanted) {
    const row = byName.get(`${organisationOf.get(workspaceId) ?? ''}:${name}`);
    const version = row && versions.get(row.currentVersionId);
    if (!version || (row.workspaceId !== null && row.workspaceId !== workspaceId)) continue;
    const own = { accounts: accounts.get(row.organisationId), references };
    const secrets = credentials.sealForGateways(row, version, workspaceId, own);
    to.set(key, guardrailDocument(row, version, secrets));
  }
}

const guardrailDocument = (
  row: GuardrailEntity,
  version: GuardrailVersionEntity,
  { sealedSecrets, version: sealed }: SealedSecrets,
): GuardrailDocument => ({
  ...versioned<GuardrailDocument>(
    {
      kind: 'guardrail',
      id: row.id,
      slug: row.slug,
      versionId: version.id,
      name: row.name,
      organisationId: row.organisationId,
      workspaceId: row.workspaceId,
      status: row.status,
      target: row.target,
      checks: version.checks,
      actions: version.actions,
      sealedSecrets: null,
    },
    sealed,
  ),
  sealedSecrets,
});
