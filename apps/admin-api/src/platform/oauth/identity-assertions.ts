import type { TrustEntity } from '@gw/entities';
import { canonicalResource } from '@gw/oauth';
import {
  ASSERTION_TYPES,
  issuerOf,
  KeysUnavailable,
  readToken,
  TokenFault,
  verifyAssertion,
  type ReadToken,
} from '@gw/trusts';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../settings';
import { provenEmail } from '../accounts/identity-users';
import { IssuerTrusts } from '../accounts/issuer-trusts';
import { toTokenRule } from '../rows/trust-rules';

/** Why a well-formed assertion of a trusted issuer is refused; see `isRefusal`. */
export class AssertionFault extends Error {
  override readonly name = 'AssertionFault';
}

/** Assertion of an identity provider about a user, for one client. */
export interface IdentityAssertion {
  readonly organisationId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Address in lower case if the provider has verified it; else null. */
  readonly email: string | null;
  /** Canonical URL of the resource for which a token is requested. */
  readonly resource: string;
  /** Requested scopes; empty for those of the resource. */
  readonly scopes: readonly string[];
  /** Id or slug of the workspace; null when the assertion names none. */
  readonly workspace: string | null;
  /**
   * Id under which the assertion works once within the trust, until `expiresAt`, which is in Unix
   * seconds.
   */
  readonly onceAs: string;
  readonly trustId: string;
  readonly expiresAt: number;
}

/**
 * Checks the assertions that clients of an organisation send from its identity provider (ID-JAG).
 */
@Injectable()
export class IdentityAssertions {
  constructor(
    private readonly trusts: IssuerTrusts,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /**
   * Checks an assertion against the trusts of its client's organisation. Rejects with an error for
   * which `isRefusal` is true.
   */
  async read(
    assertion: string,
    client: { readonly clientId: string; readonly organisationId: string },
  ): Promise<IdentityAssertion> {
    const token = readToken(assertion, ASSERTION_TYPES);
    const { organisationId } = client;
    const trusts = await this.trusts.of(issuerOf(token.claims) ?? '', { organisationId, kind: 'id_jag' });
    let last: unknown = new AssertionFault('There is no trust of the issuer.');
    for (const trust of trusts) {
      try {
        return await this.accepted(trust, token, client.clientId);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        last = error;
      }
    }
    throw last;
  }

  private async accepted(trust: TrustEntity, token: ReadToken, clientId: string): Promise<IdentityAssertion> {
    const now = Math.floor(Date.now() / 1_000);
    const { claims } = token;
    // An assertion with several audiences is refused, because another receiver could send it here.
    if (claims['aud'] !== this.settings.PUBLIC_URL) throw new AssertionFault('aud must be our issuer.');
    if (claims['client_id'] !== clientId) throw new AssertionFault('client_id is another client.');
    if (typeof claims['iat'] !== 'number') throw new AssertionFault('iat must be a time in seconds.');
    const { id, expiresAt } = await verifyAssertion(toTokenRule(trust), token, {
      sets: this.trusts.sets,
      now,
    });
    // No clock tolerance: the identity provider issued the assertion a moment ago for this server
    // only.
    if (expiresAt <= now) throw new AssertionFault('The assertion has expired.');
    return {
      ...{ organisationId: trust.organisationId, issuer: trust.issuer, trustId: trust.id },
      ...{ onceAs: id, expiresAt },
      subject: textIn(claims, 'sub') ?? '',
      email: provenEmail(claims, false),
      resource: canonicalResource(textIn(claims, 'resource') ?? '') ?? '',
      scopes: (textIn(claims, 'scope') ?? '').split(' ').filter((scope) => scope !== ''),
      workspace: textIn(claims, 'gw_workspace'),
    };
  }
}

/**
 * Whether an error is the reason for refusing an assertion. Its message is for the audit log and
 * never for the client.
 */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof AssertionFault || error instanceof TokenFault || error instanceof KeysUnavailable;

const textIn = (claims: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : null;
};
