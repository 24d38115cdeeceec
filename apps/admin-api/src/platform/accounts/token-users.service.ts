import { TOKEN_ISSUER } from '@gw/contracts';
import { OrganisationUserEntity, UserEntity } from '@gw/entities';
import { GatewayError, networkOf } from '@gw/kernel';
import {
  issuerOf,
  KeysUnavailable,
  readToken,
  TokenFault,
  verifyAny,
  type ReadToken,
  type VerifiedToken,
} from '@gw/trusts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { AuthenticatedGrant } from '../auth/access-tokens';
import { activeMemberships } from '../auth/active-memberships';
import { FailureThrottle } from '../auth/failure-throttle';
import type { TokenIdentities } from '../auth/token-identities';
import { workspaceIds } from '../auth/workspace-references';
import { isCallerTrust, toTrustRule } from '../rows/trust-rules';
import { provenEmail, userNamed } from './identity-users';
import { IssuerTrusts } from './issuer-trusts';

const FAILURES_PER_MINUTE = 120;

/** Signed tokens of trusts with `link_users`, as credentials of the control plane: each acts for the user whom it names. */
@Injectable()
export class TokenUsers implements TokenIdentities {
  private readonly failures = new FailureThrottle(FAILURES_PER_MINUTE);

  constructor(
    private readonly dataSource: DataSource,
    private readonly trusts: IssuerTrusts,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'JWT_ENABLED'>,
  ) {}

  async find(text: string, clientAddress: string): Promise<AuthenticatedGrant | null> {
    const token = readOrNull(text);
    if (!this.settings.JWT_ENABLED || token === null || token.claims['iss'] === TOKEN_ISSUER) return null;
    const network = networkOf(clientAddress);
    this.failures.assertOpen(network);
    try {
      return await this.userOf(token);
    } catch (error) {
      if (error instanceof TokenFault) {
        this.failures.count(network);
        throw new GatewayError('unauthenticated', { cause: error });
      }
      if (error instanceof KeysUnavailable)
        throw new GatewayError('unavailable', { headers: { 'retry-after': '5' }, cause: error });
      throw error;
    }
  }

  private async userOf(token: ReadToken): Promise<AuthenticatedGrant> {
    const now = Math.floor(Date.now() / 1_000);
    const trusts = await this.trusts.of(issuerOf(token.claims) ?? '', { linkUsers: true });
    const rules = trusts.filter(isCallerTrust).map(toTrustRule);
    const verified = await verifyAny(rules, token, { sets: this.trusts.sets, now });
    const { organisationId, issuer } = verified.rule;
    const { manager } = this.dataSource;
    const subject = String(token.claims['sub']);
    const userId = await userNamed(manager, {
      organisationId,
      issuer,
      subject,
      email: provenEmail(token.claims, true),
    });
    const seat = userId === null ? undefined : await this.seatOf(organisationId, userId);
    if (userId === null || seat === undefined) throw new TokenFault('map', 'The token names no active user.');
    const workspaceId = await this.workspaceOf(verified);
    const memberships = await activeMemberships(this.dataSource, { userId, organisationId, workspaceId });
    if (seat.role === 'member' && !memberships.has(workspaceId))
      throw new TokenFault('map', 'The user does not belong to the workspace.');
    return {
      ...{ id: userId, userId, organisationId, workspaceId, role: seat.role, memberships },
      ...{ expiresAt: new Date(verified.expiresAt * 1_000), lacksFactor: false, boundTo: null },
      scopes: new Set(verified.caller.scopes),
    };
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
    const named = 'id' in workspace ? workspace.id : workspace.slug;
    try {
      const { manager } = this.dataSource;
      const [id] = await workspaceIds(manager, rule.organisationId, [named], () => 'gw_workspace');
      if (id !== undefined) return id;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
    throw new TokenFault('map', 'The token is for no active workspace of the organisation.');
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
