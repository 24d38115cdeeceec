import { TOKEN_ISSUER } from '@gw/contracts';
import { OrganisationEntity, OrganisationUserEntity, TrustEntity, useOnce, UserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { artifactHash } from '@gw/oauth';
import { BufferedClient } from '@gw/outbound';
import {
  fetchKeysBy,
  issuerDigest,
  issuerOf,
  KeySets,
  KeysUnavailable,
  readToken,
  TokenFault,
  verifyAny,
  type ReadToken,
  type VerifiedToken,
} from '@gw/trusts';
import { describeFault } from '@gw/web';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { userNamed } from './identity-users';
import { isCallerTrust, toTrustRule } from '../rows/trust-rules';
import type { AuthenticatedGrant } from '../auth/access-tokens';
import type { TokenIdentities } from '../auth/token-identities';
import { activeMemberships } from '../auth/active-memberships';
import { workspaceIds } from '../auth/workspace-references';

/** Signed tokens of trusts with `link_users`, as credentials of the control plane: each acts for the user whom it names. */
@Injectable()
export class TokenUsers implements TokenIdentities {
  private readonly log = new Logger(TokenUsers.name);
  private readonly sets: KeySets;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    client: BufferedClient,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'JWT_ENABLED'>,
  ) {
    this.sets = new KeySets({
      fetch: fetchKeysBy(client),
      warn: (url, error) => {
        this.log.warn({ url, ...describeFault(error) }, 'failed to read a key set');
      },
    });
  }

  async find(text: string): Promise<AuthenticatedGrant | null> {
    const token = readOrNull(text);
    if (!this.settings.JWT_ENABLED || token === null || token.claims['iss'] === TOKEN_ISSUER) return null;
    try {
      return await this.userOf(token);
    } catch (error) {
      if (error instanceof TokenFault) throw new GatewayError('unauthenticated', { cause: error });
      if (error instanceof KeysUnavailable)
        throw new GatewayError('unavailable', { headers: { 'retry-after': '5' }, cause: error });
      throw error;
    }
  }

  private async userOf(token: ReadToken): Promise<AuthenticatedGrant> {
    const now = Math.floor(Date.now() / 1_000);
    const rules = (await this.trustsOf(issuerOf(token.claims) ?? '')).filter(isCallerTrust).map(toTrustRule);
    const verified = await verifyAny(rules, token, { sets: this.sets, now });
    const { organisationId, issuer } = verified.rule;
    const { manager } = this.dataSource;
    const subject = String(token.claims['sub']);
    const userId = await userNamed(manager, {
      organisationId,
      issuer,
      subject,
      email: emailIn(token.claims),
    });
    const seat = userId === null ? undefined : await this.seatOf(organisationId, userId);
    if (userId === null || seat === undefined) throw new TokenFault('map', 'The token names no active user.');
    const workspaceId = await this.workspaceOf(verified);
    const memberships = await activeMemberships(this.dataSource, { userId, organisationId, workspaceId });
    if (seat.role === 'member' && !memberships.has(workspaceId))
      throw new TokenFault('map', 'The user does not belong to the workspace.');
    await this.use(verified);
    return {
      ...{ id: userId, userId, organisationId, workspaceId, role: seat.role, memberships },
      ...{ expiresAt: new Date(verified.expiresAt * 1_000), lacksFactor: false, boundTo: null },
      scopes: new Set(verified.caller.scopes),
    };
  }

  private trustsOf(issuer: string): Promise<TrustEntity[]> {
    return this.dataSource.manager
      .createQueryBuilder(TrustEntity, 'trust')
      .innerJoin(
        OrganisationEntity,
        'organisation',
        `organisation.id = trust.organisationId AND organisation.status = 'active'`,
      )
      .where({ issuerDigest: issuerDigest(issuer), status: 'active', linkUsers: true })
      .orderBy('trust.createdAt')
      .addOrderBy('trust.id')
      .getMany();
  }

  private seatOf(
    organisationId: string,
    userId: string,
  ): Promise<Pick<AuthenticatedGrant, 'role'> | undefined> {
    return this.dataSource
      .createQueryBuilder(OrganisationUserEntity, 'seat')
      .innerJoin(UserEntity, 'person', `person.id = seat.userId AND person.status = 'active'`)
      .select('seat.role', 'role')
      .where({ organisationId, userId, status: 'active' })
      .getRawOne<Pick<AuthenticatedGrant, 'role'>>();
  }

  private async workspaceOf({ rule, caller: { workspace } }: VerifiedToken): Promise<string> {
    if ('id' in workspace) return workspace.id;
    try {
      const [id] = await workspaceIds(
        this.dataSource.manager,
        rule.organisationId,
        [workspace.slug],
        () => 'gw_workspace',
      );
      if (id !== undefined) return id;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
    throw new TokenFault('map', 'The token names no workspace of the organisation.');
  }

  private async use({ rule, onceAs, expiresAt }: VerifiedToken): Promise<void> {
    if (onceAs === null) return;
    const idHash = artifactHash(this.secrets.oauthPepper, 'TrustToken', `${rule.id} ${onceAs}`);
    const seconds = Math.max(Math.ceil(expiresAt - Date.now() / 1_000), 0) + 60;
    if (!(await useOnce(this.dataSource.manager, { idHash, seconds })))
      throw new TokenFault('claims', 'The token was used before.');
  }
}

function readOrNull(text: string): ReadToken | null {
  try {
    return readToken(text);
  } catch (error) {
    if (error instanceof TokenFault) return null;
    throw error;
  }
}

/** The address, unless the issuer says that it is not verified: an administrator has said that it may be believed. */
function emailIn(claims: Readonly<Record<string, unknown>>): string | null {
  const email = claims['email_id'] ?? claims['email'];
  return typeof email === 'string' && claims['email_verified'] !== false ? email.toLowerCase() : null;
}
