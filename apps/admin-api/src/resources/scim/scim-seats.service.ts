import { documentKey } from '@gw/contracts';
import { OrganisationUserEntity, ScimGroupMemberEntity, ScimUserEntity, UserEntity } from '@gw/entities';
import { truncated, uuidv7 } from '@gw/kernel';
import { fault, ScimError, textOf, type ScimDocument } from '@gw/scim';
import { Injectable } from '@nestjs/common';
import { Any, Not, type EntityManager } from 'typeorm';
import { cancelInvite } from '../../platform/accounts/pending-invites';
import { MembershipEnds } from '../../platform/accounts/membership-ends';
import { lockSeatAndOwners } from '../../platform/accounts/seat-locks';
import { hasVerifiedDomain } from '../../platform/accounts/verified-domains';
import { limitLogins } from '../../platform/auth/user-password';
import { scimSettingsOf } from '../../platform/tenant-settings/scim-settings';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import type { ScimContext } from './scim-context';
import { attributesOf, writtenDocument } from './scim-documents';
import { groupIdsOf, raiseVersions } from './scim-group-locks';
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
    // The name may differ, because the address may come from `emails`.
    if (isKnown && (await manager.existsBy(ScimUserEntity, { organisationId, userId }))) throw taken(email);
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
    // A member can be in groups before SCIM manages the member.
    if (isKnown) await this.memberships.applyMappedRoles(write, organisationId, [userId]);
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

  /**
   * Applies a new name or address. The domain of a new address must be verified, and so must that
   * of a user who is activated; a user can be deactivated whatever the domain, and also if another
   * user has the new address. The address of an owner stays, because a link for a new password is
   * mailed to it: otherwise anyone with the token of SCIM could act as an owner.
   */
  async rename(
    write: Write<AuditCaller>,
    { organisationId }: ScimContext,
    { row, document, isActivated }: Renaming,
  ): Promise<void> {
    const { manager } = write;
    const email = addressIn(document);
    const isOwn = await hasVerifiedDomain(manager, organisationId, email);
    if (!isOwn && (isActivated || email !== addressIn(writtenDocument(row)))) throw unverified();
    const isElsewhere = await manager.existsBy(OrganisationUserEntity, {
      userId: row.userId,
      organisationId: Not(organisationId),
    });
    // The address and names of a user of several organisations stay: they do not belong to this
    // organisation only.
    if (isElsewhere) return;
    const owner = { organisationId, userId: row.userId, role: 'owner' } as const;
    const isKept = !isOwn || (await manager.existsBy(OrganisationUserEntity, owner));
    const user = await manager.findOneByOrFail(UserEntity, { id: row.userId });
    const isMoved = !isKept && email !== user.email && (await isFree(manager, email, document));
    const address = isMoved ? { email } : {};
    await manager.update(UserEntity, { id: row.userId }, { ...address, ...namesOf(document) });
    if (isMoved) await limitLogins(manager, { organisationId, userId: row.userId });
  }

  /**
   * Ends or restores the membership. A restored user has the role `member` and the workspaces that
   * the groups give.
   */
  async setActive(write: Write<AuditCaller>, row: ScimUserEntity, isActive: boolean): Promise<void> {
    const { organisationId, userId } = row;
    if (isActive) {
      const seat = { organisationId, userId };
      // Raises the version, and thus the ETag, also of a user whom an administrator had removed.
      await write.manager.update(ScimUserEntity, seat, { active: true });
      await write.manager.update(OrganisationUserEntity, seat, { ...MEMBER, status: 'active' });
      write.changed(documentKey.user(organisationId, userId));
      await this.memberships.applyMappedRoles(write, organisationId, [userId]);
      return;
    }
    await this.end(write, row);
  }

  /**
   * Whether SCIM shows the user as active: the identity provider has not deactivated the user, and
   * no administrator has ended the membership.
   */
  async isShownActive(manager: EntityManager, row: ScimUserEntity): Promise<boolean> {
    return row.active && (await this.isActive(manager, row));
  }

  /** Whether the organisation has verified the domain of the user's address. */
  hasOwnAddress(manager: EntityManager, row: ScimUserEntity): Promise<boolean> {
    return hasVerifiedDomain(manager, row.organisationId, addressIn(writtenDocument(row)));
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

  /**
   * Ends the membership and deletes the SCIM data of the user. The groups of the user must be
   * locked.
   */
  async forget(write: Write<AuditCaller>, row: ScimUserEntity): Promise<void> {
    const { manager } = write;
    const { organisationId, userId } = row;
    if (await this.isActive(manager, row)) await this.end(write, row);
    const groupIds = [...(await groupIdsOf(manager, organisationId, userId))];
    await manager.delete(ScimGroupMemberEntity, { userId, groupId: Any(groupIds) });
    await raiseVersions(manager, groupIds);
    await manager.delete(ScimUserEntity, { organisationId, userId });
    write.changed(documentKey.user(organisationId, userId));
    const before = { userName: row.userName, source: 'scim' };
    write.audit({ action: 'delete', resourceType: 'users', resourceId: userId, before });
  }
}

/** A user before a change, and the document of the user after it. */
interface Renaming {
  readonly row: ScimUserEntity;
  readonly document: ScimDocument;
  readonly isActivated: boolean;
}

/** Role of a user who joins or is restored over SCIM. */
const MEMBER = { role: 'member', roleSource: 'manual' } as const;

/** Locks the membership, and those of the owners. Throws when the user is the last owner. */
async function assertNotLastOwner(
  manager: EntityManager,
  { organisationId, userId }: ScimUserEntity,
): Promise<void> {
  const seats = await lockSeatAndOwners(manager, { organisationId, userId });
  const owners = seats.filter(({ role }) => role === 'owner');
  if (!owners.some((owner) => owner.userId === userId) || owners.length > 1) return;
  throw fault(
    'mutability',
    'The user is the last owner of the organisation; make another user an owner first.',
  );
}

/**
 * Returns the address with which the user logs in. Throws `invalidValue` for an address whose
 * domain the organisation has not verified.
 */
async function verifiedAddress(
  manager: EntityManager,
  organisationId: string,
  document: ScimDocument,
): Promise<string> {
  const email = addressIn(document);
  if (await hasVerifiedDomain(manager, organisationId, email)) return email;
  throw unverified();
}

/**
 * Whether no user has the address. Throws `uniqueness` when one has it, unless the document
 * deactivates its user.
 */
async function isFree(manager: EntityManager, email: string, document: ScimDocument): Promise<boolean> {
  if (!(await manager.existsBy(UserEntity, { email }))) return true;
  if (document['active'] !== false) throw taken(email);
  return false;
}

const taken = (email: string): ScimError =>
  new ScimError(409, `Another user has the address ${email}.`, 'uniqueness');

const unverified = (): ScimError =>
  fault(
    'invalidValue',
    'userName must be an e-mail address of a domain that the organisation has verified; verify the domain first.',
  );

/**
 * Returns the userName in lower case, or the main email address if the userName is not an address.
 * Throws `invalidValue` for an address that is too long.
 */
function addressIn(document: ScimDocument): string {
  const emails = (document['emails'] ?? []) as readonly {
    readonly value?: string;
    readonly primary?: boolean;
  }[];
  const primary = emails.find((email) => email.primary === true) ?? emails[0];
  const address = [textOf(document, 'userName'), primary?.value ?? ''].find((text) => text.includes('@'));
  const email = (address ?? '').toLowerCase();
  if (email.length > 320) throw fault('invalidValue', 'The address has at most 320 characters.');
  return email;
}

const NAME_MAX = 255;

function namesOf(document: ScimDocument): { readonly firstName: string; readonly lastName: string } {
  const { givenName = '', familyName = '' } = (document['name'] ?? {}) as Readonly<Record<string, string>>;
  return { firstName: truncated(givenName, NAME_MAX), lastName: truncated(familyName, NAME_MAX) };
}
