import type { SecretLocation, SecretUse } from '@gw/contracts';
import { secretReferenceBinding, SecretReferenceEntity, type StoredSecretMapping } from '@gw/entities';
import { seal, type Keyring } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { byReference } from '../auth/tenancy';
import { Secrets } from '../../settings';
import { openJson } from './unreadable-secrets';

type Owner = Pick<SecretReferenceEntity, 'id' | 'organisationId'>;

/**
 * Seals and opens the credentials of secret references. No other code of the control plane opens
 * them.
 */
@Injectable()
export class SecretAccess {
  private readonly keyring: Keyring;

  constructor(secrets: Secrets) {
    this.keyring = secrets.sealingKeyring;
  }

  seal(owner: Owner, auth: Readonly<Record<string, string>>): string | null {
    return Object.keys(auth).length === 0
      ? null
      : seal(this.keyring, JSON.stringify(auth), secretReferenceBinding(owner));
  }

  /** Throws `conflict` when the credentials cannot be opened. */
  open(row: Owner & Pick<SecretReferenceEntity, 'sealedAuth'>): Record<string, string> {
    if (row.sealedAuth === null) return {};
    return openJson(this.keyring, row.sealedAuth, secretReferenceBinding(row));
  }

  /**
   * Returns where a gateway finds the secret. `key` comes from a mapping and takes precedence over
   * the key of the reference.
   */
  locationOf(row: SecretReferenceEntity, key: string | null): SecretLocation {
    return {
      managerType: row.managerType,
      auth: { ...row.authConfig, ...this.open(row) },
      path: row.secretPath,
      key: key ?? row.secretKey,
      version: `${row.id}:${String(row.version)}`,
    };
  }

  /**
   * Returns the data with which a gateway reads the mapped secrets of a provider in the workspace.
   */
  usesOf(
    mappings: readonly StoredSecretMapping[],
    references: ReadonlyMap<string, SecretReferenceEntity>,
    workspaceId: string,
  ): SecretUse[] {
    return mappings.map(({ target_field: target, secret_reference_id: id, secret_key, value_format }) => {
      const reference = references.get(id);
      const isOpen = reference && mayUse(reference, workspaceId);
      return {
        target,
        format: value_format,
        location: isOpen ? this.locationOf(reference, secret_key) : null,
      };
    });
  }
}

/** A read lock; it prevents archiving of the row until the row that names it is saved. */
const FOR_SHARE = { mode: 'pessimistic_read' } as const;

/**
 * Returns the reference with this id or slug, locked against archiving. A `workspaceId` of null
 * means that the whole organisation owns the referring row. Throws `validation_failed` for a
 * reference that is unknown or not available to the workspace.
 */
export async function usableReference(
  manager: EntityManager,
  { organisationId, workspaceId }: { readonly organisationId: string; readonly workspaceId: string | null },
  reference: string,
  path: string,
): Promise<SecretReferenceEntity> {
  const where = { ...byReference(reference), organisationId, status: 'active' } as const;
  const row = await manager.findOne(SecretReferenceEntity, { where, lock: FOR_SHARE });
  if (row && (workspaceId === null || mayUse(row, workspaceId))) return row;
  throw invalid(`${path}.secret_reference_id`, 'is not a secret reference that may be used here');
}

export const mayUse = (
  { allowedWorkspaces }: Pick<SecretReferenceEntity, 'allowedWorkspaces'>,
  workspaceId: string,
): boolean => allowedWorkspaces === null || allowedWorkspaces.includes(workspaceId);
