import { documentKey } from '@gw/contracts';
import {
  OrganisationUserEntity,
  ScimGroupMemberEntity,
  ScimUserEntity,
  UserEntity,
  ScimGroupEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { fault, ScimError, textOf, type ScimDocument } from '@gw/scim';
import { Injectable } from '@nestjs/common';
import { Any, Not, type EntityManager } from 'typeorm';
import { cancelInvite } from '../../platform/accounts/pending-invites';
import { MembershipEnds } from '../../platform/accounts/membership-ends';
import { hasVerifiedDomain } from '../../platform/accounts/verified-domains';
import { scimSettingsOf } from '../../platform/tenant-settings/scim-settings';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import type { ScimContext } from './scim-context';
import { attributesOf } from './scim-documents';
import { ScimMemberships } from './scim-memberships.service';

/** Creates, renames and ends the memberships of an organisation that SCIM manages. */
@Injectable()
export class ScimSeats {
  constructor(
    private readonly ends: MembershipEnds,
    private readonly memberships: ScimMemberships,
  ) {}

  /**
   * Makes a user a member with the role `member`. An existing user with the same address becomes
   * managed if the organisation has enabled that. Cancels a pending invite of the address.
   */
  async open(
    write: Write<AuditCaller>,
    { organisationId }: ScimContext,
    document: ScimDocument,
    isActive: boolean,
  ): Promise<ScimUserEntity> {
    const { manager } = write;
    const email = await verifiedAddress(manager, organisationId, document);
    const { userId, isKnown } = await this.ensureMember(manager, {
      organisationId,
      email,
      document,
      isActive,
    });
    const row = manager.create(ScimUserEntity, {
      organisationId,
      userId,
      userName: textOf(document, 'userName'),
      userNameKey: textOf(document, 'userName').toLowerCase(),
      externalId: (document['externalId'] as string | undefined) ?? null,
      active: isActive,
      attributes: attributesOf(document),
    });
    const saved = await manager.save(ScimUserEntity, row);
    write.audit({
      action: 'create',
      resourceType: 'users',
      resourceId: userId,
      after: { ...document, active: isActive, source: 'scim' },
    });
    // Gateways have not yet read a document of a new user.
    if (isKnown) write.changed(documentKey.user(organisationId, userId));
    if (!isActive && (await this.isActive(manager, saved))) await this.end(write, saved);
    else await cancelInvite(write, { organisationId, email });
    return saved;
  }

  private async ensureMember(
    manager: EntityManager,
    {
      organisationId,
      email,
      document,
      isActive,
    }: { organisationId: string; email: string; document: ScimDocument; isActive: boolean },
  ): Promise<{ readonly userId: string; readonly isKnown: boolean }> {
    const known = await manager.findOne(UserEntity, { where: { email }, lock: FOR_UPDATE });
    const userId = known?.id ?? uuidv7();
    if (known === null) {
      await manager.insert(UserEntity, { id: userId, email, ...namesOf(document) });
    } else if (known.status !== 'active') {
      await manager.update(UserEntity, { id: userId }, { status: 'active' });
    }
    const seat = await manager.findOneBy(OrganisationUserEntity, { organisationId, userId });
    const status = isActive ? 'active' : 'archived';
    if (seat === null) {
      await manager.insert(OrganisationUserEntity, { organisationId, userId, role: 'member', status });
    } else if (seat.status === 'active') {
      const { adopt_existing: adoptExisting } = await scimSettingsOf(manager, organisationId);
      if (!adoptExisting)
        throw new ScimError(409, `The organisation has a user with the address ${email}.`, 'uniqueness');
    } else {
      await manager.update(OrganisationUserEntity, { organisationId, userId }, { ...MEMBER, status });
    }
    return { userId, isKnown: known !== null };
  }

  /** Applies a new name or address; the domain of the address must be verified too. */
  async rename(
    write: Write<AuditCaller>,
    { organisationId }: ScimContext,
    row: ScimUserEntity,
    document: ScimDocument,
  ): Promise<void> {
    const { manager } = write;
    const user = await manager.findOneByOrFail(UserEntity, { id: row.userId });
    const email = await verifiedAddress(manager, organisationId, document);
    const isElsewhere = await manager.existsBy(OrganisationUserEntity, {
      userId: row.userId,
      organisationId: Not(organisationId),
    });
    // The address and names of a user of several organisations stay: they do not belong to this
    // organisation only.
    if (isElsewhere) return;
    if (email !== user.email) {
      if (await manager.existsBy(UserEntity, { email })) {
        throw new ScimError(409, `Another user has the address ${email}.`, 'uniqueness');
      }
    }
    await manager.update(UserEntity, { id: row.userId }, { email, ...namesOf(document) });
  }

  /**
   * Ends or restores the membership. A restored user has the role `member` and the workspaces that
   * the groups give.
   */
  async setActive(write: Write<AuditCaller>, row: ScimUserEntity, isActive: boolean): Promise<void> {
    const { organisationId, userId } = row;
    if (isActive) {
      const seat = { organisationId, userId };
      await write.manager.update(OrganisationUserEntity, seat, { ...MEMBER, status: 'active' });
      write.changed(documentKey.user(organisationId, userId));
      await this.memberships.applyMappedRoles(write, organisationId, [userId]);
      return;
    }
    await this.end(write, row);
  }

  /** Whether the user is an active member, which may differ from the state that SCIM has stored. */
  isActive(manager: EntityManager, { organisationId, userId }: ScimUserEntity): Promise<boolean> {
    return manager.existsBy(OrganisationUserEntity, { organisationId, userId, status: 'active' });
  }

  private async end(write: Write<AuditCaller>, row: ScimUserEntity): Promise<void> {
    await assertNotLastOwner(write.manager, row);
    const { organisationId, userId } = row;
    await this.ends.end(write, { organisationId, userId });
  }

  /** Ends the membership and deletes the SCIM data of the user. */
  async forget(write: Write<AuditCaller>, row: ScimUserEntity): Promise<void> {
    const { manager } = write;
    const { organisationId, userId } = row;
    if (await this.isActive(manager, row)) await this.end(write, row);
    const groups = await manager.find(ScimGroupEntity, { where: { organisationId }, select: { id: true } });
    await manager.delete(ScimGroupMemberEntity, { userId, groupId: Any(groups.map(({ id }) => id)) });
    await manager.delete(ScimUserEntity, { organisationId, userId });
    write.changed(documentKey.user(organisationId, userId));
    const before = { userName: row.userName, source: 'scim' };
    write.audit({ action: 'delete', resourceType: 'users', resourceId: userId, before });
  }
}

/** Role of a user who joins or is restored over SCIM. */
const MEMBER = { role: 'member', roleSource: 'manual' } as const;

/**
 * Locks the owners in a fixed order, so that one of two owners who are deactivated concurrently
 * stays. Throws when the user is the last owner.
 */
async function assertNotLastOwner(
  manager: EntityManager,
  { organisationId, userId }: ScimUserEntity,
): Promise<void> {
  const owners = await manager.find(OrganisationUserEntity, {
    where: { organisationId, role: 'owner', status: 'active' },
    order: { userId: 'ASC' },
    lock: FOR_UPDATE,
  });
  if (!owners.some((owner) => owner.userId === userId) || owners.length > 1) return;
  throw fault(
    'mutability',
    'The user is the last owner of the organisation; make another user an owner first.',
  );
}

/**
 * Returns the address with which the user logs in: the userName, or the first email address if the
 * userName is not an address. Throws `invalidValue` for an address whose domain the organisation
 * has not verified.
 */
async function verifiedAddress(
  manager: EntityManager,
  organisationId: string,
  document: ScimDocument,
): Promise<string> {
  const emails = (document['emails'] ?? []) as readonly {
    readonly value?: string;
    readonly primary?: boolean;
  }[];
  const primary = emails.find((email) => email.primary === true) ?? emails[0];
  const address = [textOf(document, 'userName'), primary?.value ?? ''].find((text) => text.includes('@'));
  const email = (address ?? '').toLowerCase();
  if (email.length > 320) throw fault('invalidValue', 'The address has at most 320 characters.');
  if (await hasVerifiedDomain(manager, organisationId, email)) return email;
  throw fault(
    'invalidValue',
    'userName must be an e-mail address of a domain that the organisation has verified; verify the domain first.',
  );
}

const NAME_MAX = 255;

function namesOf(document: ScimDocument): { readonly firstName: string; readonly lastName: string } {
  const { givenName = '', familyName = '' } = (document['name'] ?? {}) as Readonly<Record<string, string>>;
  return { firstName: givenName.slice(0, NAME_MAX), lastName: familyName.slice(0, NAME_MAX) };
}
