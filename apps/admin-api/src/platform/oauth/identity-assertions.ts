import { TrustEntity } from '@gw/entities';
import { canonicalResource } from '@gw/oauth';
import { BufferedClient } from '@gw/outbound';
import {
  ASSERTION_TYPES,
  fetchKeysBy,
  issuerDigest,
  issuerOf,
  KeySets,
  KeysUnavailable,
  readToken,
  TokenFault,
  verifyAssertion,
  type ReadToken,
} from '@gw/trusts';
import { describeFault } from '@gw/web';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS, type AdminSettings } from '../../settings';
import { toTokenRule } from '../rows/trust-rules';

/** Why an assertion is refused; for the audit log, never for the client. */
export class AssertionFault extends Error {
  override readonly name = 'AssertionFault';
}

/** What an identity provider asserts of a user, for one client. */
export interface IdentityAssertion {
  readonly organisationId: string;
  readonly issuer: string;
  readonly subject: string;
  /** In lower case, when the provider has verified it; else null. */
  readonly email: string | null;
  /** Canonical URL of what the token is for. */
  readonly resource: string;
  /** Scopes; empty: those of the resource. */
  readonly scopes: readonly string[];
  /** Id or slug of the workspace; null: not named. */
  readonly workspace: string | null;
  /** Works once within the trust, until `expiresAt`, in Unix seconds. */
  readonly onceAs: string;
  readonly trustId: string;
  readonly expiresAt: number;
}

/** The assertions that clients of an organisation bring from its identity provider (ID-JAG). */
@Injectable()
export class IdentityAssertions {
  private readonly log = new Logger(IdentityAssertions.name);
  private readonly sets: KeySets;

  constructor(
    private readonly dataSource: DataSource,
    client: BufferedClient,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {
    this.sets = new KeySets({
      fetch: fetchKeysBy(client),
      warn: (url, error) => {
        this.log.warn({ url, ...describeFault(error) }, 'failed to read a key set');
      },
    });
  }

  /** Checks an assertion against the trusts of the organisation of its client. Rejects with `AssertionFault`. */
  async read(
    assertion: string,
    client: { readonly clientId: string; readonly organisationId: string },
  ): Promise<IdentityAssertion> {
    const token = faulty(() => readToken(assertion, ASSERTION_TYPES));
    const trusts = await this.trustsOf(client.organisationId, issuerOf(token.claims) ?? '');
    let last: Error = new AssertionFault('There is no trust of the issuer.');
    for (const trust of trusts) {
      try {
        return await this.accepted(trust, token, client.clientId);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        last = error;
      }
    }
    throw last instanceof AssertionFault ? last : new AssertionFault(last.message);
  }

  private trustsOf(organisationId: string, issuer: string): Promise<TrustEntity[]> {
    return this.dataSource.manager.find(TrustEntity, {
      where: { organisationId, issuerDigest: issuerDigest(issuer), kind: 'id_jag', status: 'active' },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  private async accepted(trust: TrustEntity, token: ReadToken, clientId: string): Promise<IdentityAssertion> {
    const now = Math.floor(Date.now() / 1_000);
    const { claims } = token;
    // An assertion for several receivers could be brought here by one of the others.
    if (claims['aud'] !== this.settings.PUBLIC_URL) throw new AssertionFault('aud must be our issuer.');
    if (claims['client_id'] !== clientId) throw new AssertionFault('client_id is another client.');
    if (typeof claims['iat'] !== 'number') throw new AssertionFault('iat must be a time in seconds.');
    const { id, expiresAt } = await verifyAssertion(toTokenRule(trust), token, { sets: this.sets, now });
    // Made a moment ago for us alone, so no clock that is behind needs more time.
    if (expiresAt <= now) throw new AssertionFault('The assertion has expired.');
    return {
      ...{ organisationId: trust.organisationId, issuer: trust.issuer, trustId: trust.id },
      ...{ onceAs: id, expiresAt },
      subject: textIn(claims, 'sub') ?? '',
      email: claims['email_verified'] === true ? (textIn(claims, 'email')?.toLowerCase() ?? null) : null,
      resource: canonicalResource(textIn(claims, 'resource') ?? '') ?? '',
      scopes: (textIn(claims, 'scope') ?? '').split(' ').filter((scope) => scope !== ''),
      workspace: textIn(claims, 'gw_workspace'),
    };
  }
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof AssertionFault || error instanceof TokenFault || error instanceof KeysUnavailable;

function faulty<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TokenFault) throw new AssertionFault(error.message);
    throw error;
  }
}

const textIn = (claims: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : null;
};
