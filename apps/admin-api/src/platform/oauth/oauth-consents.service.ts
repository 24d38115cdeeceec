import {
  OauthArtifactEntity,
  OauthClientEntity,
  OauthConsentEntity,
  SessionEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { GatewayError, UUID, uuidv7 } from '@gw/kernel';
import { isLoopbackRedirect, redirectUriFault, shownHost } from '@gw/oauth';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type Provider from 'oidc-provider';
import { DataSource, In } from 'typeorm';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import type { AuthenticatedSession } from '../auth/session.strategy';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { OauthArtifacts } from './oauth-artifacts';
import { withinOauthCall, type OauthWork } from './oauth-call';
import { OauthClients } from './oauth-clients';
import { OauthEngine } from './oauth-engine.service';
import type { ConsentView } from './oauth-pages';
import { OFFLINE, resourceOf, scopesOfClient, type OauthResource } from './oauth-resources';
import { scopesHeld, seatOf, type Place } from './oauth-seats';
import { OauthTransactions } from './oauth-transactions';

const WORKSPACES_MAX = 500;
/** Grants of one user in an organisation. */
const GRANTS_MAX = 200;
const GRANT_MS = 30 * 86_400_000;

type Interaction = InstanceType<Provider['Interaction']>;

/** A logged-in user who reads or answers a request for consent. */
export interface Asked {
  readonly session: AuthenticatedSession;
  readonly request: RequestFacts;
}

export interface ConsentAnswer {
  readonly resumeState: string;
  readonly csrf: string;
  readonly approved: boolean;
  /** Null: the whole organisation. */
  readonly workspaceId: string | null;
}

/** A request for consent, read and checked. */
interface OpenRequest {
  readonly interaction: Interaction;
  readonly client: OauthClientEntity;
  readonly redirectUri: string;
  readonly resource: OauthResource;
  readonly scopes: readonly string[];
  readonly offline: boolean;
}

/** Requests of clients for access, and the answers of users. */
@Injectable()
export class OauthConsents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: OauthEngine,
    private readonly clients: OauthClients,
    private readonly artifacts: OauthArtifacts,
    private readonly transactions: OauthTransactions,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL' | 'OAUTH_PRIVATE_SCHEMES'>,
  ) {}

  /** Name of the client of a request that is not answered yet. Throws `validation_failed` for any other. */
  async clientName(resumeState: string): Promise<string> {
    return (await this.read(resumeState)).client.name;
  }

  /** Throws `validation_failed` for a request that has ended, and `forbidden` when another user has opened it. */
  async view(resumeState: string, { session }: Asked): Promise<ConsentView> {
    const open = await this.read(resumeState);
    await this.own(open, session);
    const { client, redirectUri, resource, scopes } = open;
    const isMember = session.role === 'member';
    const seat = await seatOf(this.dataSource.manager, { ...session, workspaceId: null });
    return {
      resumeState,
      clientName: client.name,
      clientKind: client.kind,
      redirect: { host: shownHost(redirectUri), isLoopback: isLoopbackRedirect(redirectUri) },
      resourceName: resource.name,
      scopes,
      workspaces: await this.dataSource.manager.find(WorkspaceEntity, {
        where: {
          organisationId: session.organisationId,
          status: 'active',
          ...(isMember ? { id: In([...session.memberships.keys()]) } : {}),
        },
        select: { id: true, name: true },
        order: { name: 'ASC', id: 'ASC' },
        take: WORKSPACES_MAX,
      }),
      wholeOrganisation: !isMember,
      email: seat?.email ?? '',
      csrf: this.csrf(resumeState, session),
      error: null,
    };
  }

  /**
   * Takes the user's answer once, and returns where the browser goes on. Throws as `view` does, and `forbidden` for a workspace that is
   * not the user's.
   */
  async answer(asked: Asked, answer: ConsentAnswer): Promise<{ readonly redirect_uri: string }> {
    const call = { request: asked.request, registration: null, work: null };
    try {
      return await withinOauthCall(call, () =>
        this.transactions.within((work) => this.take(work, asked, answer)),
      );
    } catch (error) {
      if (error instanceof GatewayError) {
        const entry = { action: 'approve', resourceType: 'oauth_grants', resourceId: null };
        const after = { reason: error.message };
        await this.transactions.recordRefusal(callerOf(asked), { ...entry, after }, error.status, error.type);
      }
      throw error;
    }
  }

  /** Ends the session of a sign-in for one consent. */
  async endSignIn({ id }: AuthenticatedSession): Promise<void> {
    await this.dataSource.manager.update(SessionEntity, { id }, { revokedAt: new Date() });
  }

  private async take(
    work: OauthWork,
    asked: Asked,
    answer: ConsentAnswer,
  ): Promise<{ readonly redirect_uri: string }> {
    const idHash = this.artifacts.hash('Interaction', answer.resumeState);
    await work.manager.query('SELECT 1 FROM oauth_artifacts WHERE id_hash = $1 FOR UPDATE', [idHash]);
    const open = await this.read(answer.resumeState);
    this.assertCsrf(answer, asked.session);
    await this.own(open, asked.session);
    const { interaction, client, resource } = open;
    const of = { client_id: client.clientId, client_name: client.name, resource: resource.url };
    if (answer.approved) {
      const place = { ...asked.session, workspaceId: answer.workspaceId };
      const { grantId, scopes } = await this.grant(work, open, place);
      const { userId: accountId } = asked.session;
      interaction.result = { login: { accountId, remember: false }, consent: { grantId } };
      work.audits.push({
        caller: callerOf(asked),
        entry: {
          ...{ action: 'create', resourceType: 'oauth_grants', resourceId: grantId },
          workspaceId: answer.workspaceId,
          after: { ...of, scopes },
        },
      });
    } else {
      interaction.result = { error: 'access_denied', error_description: 'the user refused' };
      const entry = { action: 'refuse', resourceType: 'oauth_grants', resourceId: null, after: of };
      work.audits.push({ caller: callerOf(asked), entry });
    }
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1_000));
    return { redirect_uri: interaction.returnTo };
  }

  private async grant(
    work: OauthWork,
    { client, resource, scopes: asked, offline }: OpenRequest,
    place: Place,
  ): Promise<{ readonly grantId: string; readonly scopes: readonly string[] }> {
    const { manager } = work;
    const { userId, organisationId, workspaceId } = place;
    if (workspaceId !== null && !UUID.test(workspaceId))
      throw invalid('workspace_id', 'workspace_id must be an id');
    const seat = await seatOf(manager, place);
    if (seat === null || (workspaceId === null && seat.organisationRole === 'member'))
      throw new GatewayError('forbidden', { message: 'Choose a workspace of yours.' });
    const held = await scopesHeld(manager, place, seat);
    const scopes = asked.filter((scope) => held.has(scope));
    if (scopes.length === 0)
      throw new GatewayError('forbidden', { message: 'You hold none of these scopes there.' });
    const mine = { userId, organisationId };
    if ((await manager.countBy(OauthConsentEntity, mine)) >= GRANTS_MAX)
      throw new GatewayError('forbidden', {
        message: `You let ${String(GRANTS_MAX)} clients in already; end a grant in your account first.`,
      });
    const grantId = uuidv7();
    await manager.insert(OauthConsentEntity, {
      ...{ id: grantId, userId, organisationId, workspaceId, resource: resource.url, scopes },
      ...{ clientId: client.clientId, clientName: client.name, expiresAt: new Date(Date.now() + GRANT_MS) },
    });
    await manager.update(OauthClientEntity, { clientId: client.clientId }, { lastUsedAt: new Date() });
    const provider = await this.engine.provider();
    const grant = new provider.Grant({ accountId: userId, clientId: client.clientId });
    grant.jti = grantId;
    grant.addResourceScope(resource.url, scopes.join(' '));
    const withheld = asked.filter((scope) => !held.has(scope));
    if (withheld.length > 0) grant.rejectResourceScope(resource.url, withheld.join(' '));
    if (offline) grant.addOIDCScope(OFFLINE);
    await grant.save();
    return { grantId, scopes };
  }

  /** Reads a request again in full: what its client may do can have changed since it was made. */
  private async read(resumeState: string): Promise<OpenRequest> {
    const provider = await this.engine.provider();
    const interaction = await provider.Interaction.find(resumeState.slice(0, 128));
    if (interaction === undefined || interaction.result !== undefined)
      throw invalid('resume_state', 'The request for consent has expired or was answered. Begin again.');
    const { params } = interaction;
    const clientId = String(params['client_id']);
    const redirectUri = String(params['redirect_uri']);
    const client = await this.clients.row(clientId);
    const registered = await provider.Client.find(clientId);
    if (client === null || registered === undefined)
      throw invalid('client_id', 'The client is no longer registered.');
    const known = { privateAddresses: this.settings.OAUTH_PRIVATE_SCHEMES };
    if (!registered.redirectUriAllowed(redirectUri) || redirectUriFault(redirectUri, known) !== undefined)
      throw invalid('redirect_uri', 'The client may no longer send you to the address of the request.');
    const resource = resourceOf(String(params['resource']), this.settings.PUBLIC_URL ?? '');
    if (resource === null) throw invalid('resource', 'The resource of the request is not known.');
    const named = String(params['scope']).split(' ');
    const allowed = scopesOfClient(client.kind === 'registered');
    const scopes = named.filter((scope) => allowed.has(scope));
    return { interaction, client, redirectUri, resource, scopes, offline: named.includes(OFFLINE) };
  }

  /** The first user who opens a request owns it. Throws `forbidden` for any other, and where the client is of another organisation. */
  private async own({ interaction, client }: OpenRequest, session: AuthenticatedSession): Promise<void> {
    const isForeign = client.organisationId !== null && client.organisationId !== session.organisationId;
    const owned = await this.transactions.manager
      .createQueryBuilder()
      .update(OauthArtifactEntity)
      .set({ userId: session.userId })
      .where('idHash = :idHash AND (userId IS NULL OR userId = :userId)', {
        idHash: this.artifacts.hash('Interaction', interaction.uid),
        userId: session.userId,
      })
      .execute();
    if (isForeign || owned.affected !== 1)
      throw new GatewayError('forbidden', { message: 'The request for consent is not yours.' });
  }

  private csrf(resumeState: string, { id }: AuthenticatedSession): string {
    return createHmac('sha256', this.secrets.oauthPageKey)
      .update(`consent:${id}:${resumeState}`)
      .digest('base64url');
  }

  private assertCsrf({ resumeState, csrf }: ConsentAnswer, session: AuthenticatedSession): void {
    const right = Buffer.from(this.csrf(resumeState, session));
    const given = Buffer.from(csrf);
    if (given.length !== right.length || !timingSafeEqual(given, right))
      throw new GatewayError('forbidden', { message: 'The form is not of this session. Open it again.' });
  }
}

const callerOf = ({ session, request }: Asked): AuditCaller => ({
  kind: 'session',
  ...{ organisationId: session.organisationId, workspaceId: null, userId: session.userId, apiKeyId: null },
  request,
});
