import { OauthConsentEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { TokenEndpointGrantContext } from 'oidc-provider';
import { IsNull, MoreThan } from 'typeorm';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { placeOf } from './assertion-users';
import { ACCESS_SECONDS, resourceServerOf } from './engine-configuration';
import { GrantWriter, type WrittenGrant } from './grant-writer';
import { AssertionFault, IdentityAssertions, isRefusal, type IdentityAssertion } from './identity-assertions';
import { currentOauthCall, type OauthWork } from './oauth-call';
import { OauthClients, type KnownClient } from './oauth-clients';
import { resourceOf, scopesAt, type OauthResource } from './oauth-resources';
import { scopesHeld, seatOf, type Place } from './oauth-seats';
import { targetIdOf } from './oauth-targets';
import { OauthTransactions } from './oauth-transactions';
import { oidcErrors } from './oidc-library';

export interface AssertionParameters {
  readonly assertion?: string;
  readonly scope?: string | undefined;
  readonly resource?: string;
}

type Context = TokenEndpointGrantContext<AssertionParameters>;

/** A token request whose assertion has been checked. */
interface Asserted {
  readonly client: KnownClient;
  readonly assertion: IdentityAssertion;
  readonly resource: OauthResource;
  readonly scopes: readonly string[];
}

/**
 * The grant type for identity assertions (ID-JAG): an identity provider that the organisation
 * trusts names the user for whom a client of the organisation acts, so that the user need not
 * consent. The client only learns that an assertion is refused; the audit log contains the reason.
 */
@Injectable()
export class AssertionGrants {
  constructor(
    private readonly assertions: IdentityAssertions,
    private readonly clients: OauthClients,
    private readonly writer: GrantWriter,
    private readonly transactions: OauthTransactions,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /**
   * Handles a token request. Throws `invalid_grant`, and `unauthorized_client` for clients that
   * belong to no organisation.
   */
  async take(context: Context): Promise<void> {
    const { clientId, tokenEndpointAuthMethod: method } = context.oidc.client;
    const client = await this.clients.row(clientId);
    if (client?.organisationId == null || method === 'none')
      throw new (oidcErrors().UnauthorizedClient)(
        'only clients that an administrator has registered can do this',
      );
    if (context.get('DPoP') !== '')
      throw new (oidcErrors().InvalidRequest)('assertions give bearer tokens: send no header DPoP');
    try {
      const asserted = await this.read(context, { ...client, organisationId: client.organisationId });
      await this.issue(context, asserted);
    } catch (error) {
      refuse(client.organisationId, clientId, error);
    }
  }

  /** Checks the assertion. Reads key sets, so it must run before the transaction. */
  private async read(
    { oidc: { params, provider } }: Context,
    client: KnownClient & { readonly organisationId: string },
  ): Promise<Asserted> {
    const assertion = await this.assertions.read(params.assertion ?? '', client);
    if (params.resource !== undefined && params.resource !== assertion.resource)
      throw new AssertionFault('resource is not that of the assertion.');
    const resource = resourceOf(assertion.resource, this.settings.PUBLIC_URL ?? '');
    if (resource === null) throw new AssertionFault('resource is not known here.');
    const scopes = scopesOf({ client, assertion, resource }, params.scope);
    if (scopes.length === 0) throw new AssertionFault('The client can have none of the scopes.');
    const { trustId, onceAs, expiresAt } = assertion;
    if (!(await provider.ReplayDetection.unique(trustId, onceAs, expiresAt)))
      throw new AssertionFault('The assertion was used before.');
    return { client, assertion, resource, scopes };
  }

  private async issue(context: Context, asserted: Asserted): Promise<void> {
    const work = await this.transactions.opened();
    const place = await placeOf(work.manager, asserted.assertion);
    const { grantId, scopes } = await this.grantOf(context, work, asserted, place);
    const { provider, client } = context.oidc;
    const { url } = asserted.resource;
    const token = new provider.AccessToken({
      ...{ client, accountId: place.userId, grantId, gty: 'jwt-bearer', scope: scopes.join(' ') },
      resourceServer: new provider.ResourceServer(url, resourceServerOf(url, scopes)),
    });
    context.oidc.entity('AccessToken', token);
    context.body = {
      access_token: await token.save(),
      token_type: token.tokenType,
      ...{ expires_in: ACCESS_SECONDS, scope: scopes.join(' ') },
    };
  }

  /**
   * Returns the grant of an earlier assertion for the same user, client and resource, or creates
   * one.
   */
  private async grantOf(
    { oidc: { provider } }: Context,
    work: OauthWork,
    { client, resource, scopes }: Asserted,
    place: Place,
  ): Promise<WrittenGrant> {
    const seat = await seatOf(work.manager, place);
    if (seat === null) throw new AssertionFault('The user does not belong to the workspace.');
    const held = await scopesHeld(work.manager, place, seat);
    const grantedScopes = scopes.filter((scope) => held.has(scope));
    if (grantedScopes.length === 0) throw new AssertionFault('The user holds none of the scopes.');
    const targetId = await targetIdOf(work.manager, resource, place.workspaceId);
    const earlier = await work.manager.findBy(OauthConsentEntity, {
      ...{ userId: place.userId, organisationId: place.organisationId },
      workspaceId: place.workspaceId ?? IsNull(),
      ...{ clientId: client.clientId, resource: resource.url, targetId: targetId ?? IsNull() },
      expiresAt: MoreThan(new Date(Date.now() + ACCESS_SECONDS * 1_000)),
    });
    for (const { id, scopes: known } of earlier) {
      if (
        grantedScopes.every((scope) => known.includes(scope)) &&
        (await provider.Grant.find(id)) !== undefined
      )
        return { grantId: id, scopes: grantedScopes };
    }
    const written = await this.writer.write(
      provider,
      work,
      { client, resource, scopes, offline: false, byDevice: false },
      place,
    );
    work.audits.push({
      caller: auditCallerIn(place.organisationId, place.userId),
      entry: {
        ...{ action: 'create', resourceType: 'oauth_grants', resourceId: written.grantId },
        workspaceId: place.workspaceId,
        after: {
          ...{ client_id: client.clientId, client_name: client.name, resource: resource.url },
          ...{ scopes: written.scopes, by: 'assertion' },
        },
      },
    });
    return written;
  }
}

/**
 * Records the reason of a refusal for the audit log and throws an error without it for the client.
 */
function refuse(organisationId: string, clientId: string, error: unknown): never {
  if (!(isRefusal(error) || error instanceof GatewayError)) throw error;
  const entry = {
    ...{ action: 'approve', resourceType: 'oauth_grants', resourceId: null },
    after: { client_id: clientId, reason: error.message },
  };
  const call = currentOauthCall();
  const refusal = {
    caller: auditCallerIn(organisationId, null),
    entry,
    status: 400,
    errorType: 'invalid_grant',
  };
  if (call !== undefined) call.refusals = [...(call.refusals ?? []), refusal];
  throw new (oidcErrors().InvalidGrant)('the assertion was not accepted');
}

/** Returns the scopes that the request names, the assertion allows and the client may have. */
function scopesOf(
  { client, assertion, resource }: Omit<Asserted, 'scopes'>,
  requested: string | undefined,
): readonly string[] {
  const allowed = scopesAt(resource, client.kind === 'registered');
  const asserted = assertion.scopes.length > 0 ? assertion.scopes : resource.defaultScopes;
  const wanted = requested === undefined || requested === '' ? asserted : requested.split(' ');
  return [...new Set(wanted)].filter((scope) => asserted.includes(scope) && allowed.has(scope));
}

function auditCallerIn(organisationId: string, userId: string | null): AuditCaller {
  const request = currentOauthCall()?.request;
  if (request === undefined) throw new Error('There is no request of the OAuth server.');
  return { kind: 'system', organisationId, workspaceId: null, userId, apiKeyId: null, request };
}
