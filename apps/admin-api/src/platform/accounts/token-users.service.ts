import { TOKEN_ISSUER } from '@gw/contracts';
import type { TrustEntity } from '@gw/entities';
import { GatewayError, isStorableText, networkOf } from '@gw/kernel';
import { issuerOf, KeysUnavailable, readToken, TokenFault, verifyAny, type ReadToken } from '@gw/trusts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, Raw, type FindOptionsWhere } from 'typeorm';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { AuthenticatedGrant } from '../auth/access-tokens';
import { activeMemberships } from '../auth/active-memberships';
import { FailureThrottle } from '../auth/failure-throttle';
import type { TokenIdentities } from '../auth/token-identities';
import { activeWorkspace } from '../auth/workspace-references';
import { isCallerTrust, toTrustRule } from '../rows/trust-rules';
import { provenEmail, userNamed } from './identity-users';
import { IssuerTrusts } from './issuer-trusts';

const FAILURES_PER_MINUTE = 120;

/**
 * Authenticates callers by signed tokens of trusts with `link_users`: each token acts for the user
 * whom it identifies.
 */
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
    const trusts = await this.trusts.of(issuerOf(token.claims) ?? '', {
      ...withOneOf(audiencesOf(token)),
      linkUsers: true,
    });
    const rules = trusts.filter(isCallerTrust).map(toTrustRule);
    const verified = await verifyAny(rules, token, { sets: this.trusts.sets, now });
    const { organisationId, issuer } = verified.rule;
    const { manager } = this.dataSource;
    const subject = String(token.claims['sub']);
    const email = provenEmail(token.claims, true);
    const user = await userNamed(manager, { organisationId, issuer, subject, email });
    if (user?.isActive !== true) throw new TokenFault('map', 'The token names no active user.');
    const { id: userId, role } = user;
    const { workspace } = verified.caller;
    const named = 'id' in workspace ? workspace.id : workspace.slug;
    const workspaceId = await activeWorkspace(manager, organisationId, named);
    if (workspaceId === null)
      throw new TokenFault('map', 'The token is for no active workspace of the organisation.');
    const memberships = await activeMemberships(manager, { userId, organisationId, workspaceId });
    if (role === 'member' && !memberships.has(workspaceId))
      throw new TokenFault('map', 'The user does not belong to the workspace.');
    return {
      ...{ id: userId, userId, organisationId, workspaceId, role, memberships },
      ...{ expiresAt: new Date(verified.expiresAt * 1_000), lacksFactor: false, boundTo: null },
      scopes: new Set(verified.caller.scopes),
    };
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

/** Returns the audiences of a token, without those that no row can contain. */
function audiencesOf({ claims: { aud } }: ReadToken): readonly string[] {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.filter((each): each is string => typeof each === 'string' && isStorableText(each));
}

/**
 * Selects trusts with one of the audiences, so that trusts of organisations with other audiences do
 * not use up the limit of trusts for one token.
 */
const withOneOf = (audiences: readonly string[]): FindOptionsWhere<TrustEntity> => ({
  audiences: Raw((column) => `jsonb_exists_any(${column}, :audiences)`, { audiences }),
});
