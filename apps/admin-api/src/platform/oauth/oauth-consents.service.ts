import { OauthArtifactEntity, SessionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { isLoopbackRedirect, redirectUriFault, shownHost } from '@gw/oauth';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import { DataSource } from 'typeorm';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import type { AuthenticatedSession } from '../auth/session.strategy';
import { OauthArtifacts } from './oauth-artifacts';
import type { OauthWork } from './oauth-call';
import { OauthClients } from './oauth-clients';
import { OauthEngine } from './oauth-engine.service';
import type { ConsentView } from './oauth-pages';
import {
  assertFormToken,
  callerOf,
  formToken,
  takeAnswer,
  type AnswerForm,
  type ConsentCaller,
} from './consent-answers';
import { GrantWriter, type Requested } from './grant-writer';
import { resourceOf, scopesRequested } from './oauth-resources';
import { seatOf, workspacesOf } from './oauth-seats';
import { OauthTransactions } from './oauth-transactions';

type Interaction = InstanceType<Provider['Interaction']>;

export interface ConsentAnswer {
  readonly resumeState: string;
  readonly csrf: string;
  readonly approved: boolean;
  /** Null: the whole organisation. */
  readonly workspaceId: string | null;
}

/** A request for consent, read and checked. */
interface OpenRequest extends Requested {
  readonly interaction: Interaction;
  readonly redirectUri: string;
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
    private readonly writer: GrantWriter,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /** Name of the client of a request that is not answered yet. Throws `validation_failed` for any other. */
  async clientName(resumeState: string): Promise<string> {
    return (await this.read(resumeState)).client.name;
  }

  /** Throws `validation_failed` for a request that has ended, and `forbidden` when another user has opened it. */
  async view(resumeState: string, { session }: ConsentCaller): Promise<ConsentView> {
    const open = await this.read(resumeState);
    await this.own(open, session);
    const { client, redirectUri, resource, scopes } = open;
    const isMember = session.role === 'member';
    const seat = await seatOf(this.dataSource.manager, { ...session, workspaceId: null });
    return {
      resumeState,
      clientName: client.name,
      clientKind: client.kind,
      clientHost: client.kind === 'document' ? shownHost(client.clientId) : null,
      redirect: { host: shownHost(redirectUri), isLoopback: isLoopbackRedirect(redirectUri) },
      resourceName: resource.name,
      scopes,
      workspaces: await workspacesOf(this.dataSource.manager, session),
      wholeOrganisation: !isMember,
      email: seat?.email ?? '',
      csrf: formToken(this.secrets.oauthPageKey, formOf(resumeState), session),
      error: null,
    };
  }

  /**
   * Takes the user's answer once, and returns where the browser goes on. Throws as `view` does, and `forbidden` for a workspace that is
   * not the user's.
   */
  async answer(caller: ConsentCaller, answer: ConsentAnswer): Promise<{ readonly redirect_uri: string }> {
    return takeAnswer(
      this.transactions,
      caller,
      (work) => this.take(work, caller, answer),
      // Reads the document of a client, if it is one, before the transaction.
      () => this.read(answer.resumeState),
    );
  }

  /** Ends the session of a sign-in for one consent. */
  async endSignIn({ id }: AuthenticatedSession): Promise<void> {
    await this.dataSource.manager.update(SessionEntity, { id }, { revokedAt: new Date() });
  }

  private async take(
    work: OauthWork,
    caller: ConsentCaller,
    answer: ConsentAnswer,
  ): Promise<{ readonly redirect_uri: string }> {
    const idHash = this.artifacts.hash('Interaction', answer.resumeState);
    await work.manager.query('SELECT 1 FROM oauth_artifacts WHERE id_hash = $1 FOR UPDATE', [idHash]);
    const open = await this.read(answer.resumeState);
    const form = formOf(answer.resumeState);
    assertFormToken(this.secrets.oauthPageKey, form, caller.session, answer.csrf);
    await this.own(open, caller.session);
    const { interaction, client, resource } = open;
    const of = { client_id: client.clientId, client_name: client.name, resource: resource.url };
    if (answer.approved) {
      const place = { ...caller.session, workspaceId: answer.workspaceId };
      const { grantId, scopes } = await this.writer.write(await this.engine.provider(), work, open, place);
      const { userId: accountId } = caller.session;
      interaction.result = { login: { accountId, remember: false }, consent: { grantId } };
      work.audits.push({
        caller: callerOf(caller),
        entry: {
          ...{ action: 'create', resourceType: 'oauth_grants', resourceId: grantId },
          workspaceId: answer.workspaceId,
          after: { ...of, scopes },
        },
      });
    } else {
      interaction.result = { error: 'access_denied', error_description: 'the user refused' };
      const entry = { action: 'refuse', resourceType: 'oauth_grants', resourceId: null, after: of };
      work.audits.push({ caller: callerOf(caller), entry });
    }
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1_000));
    return { redirect_uri: interaction.returnTo };
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
    const known = this.clients.redirectRules(client.kind === 'registered');
    if (!registered.redirectUriAllowed(redirectUri) || redirectUriFault(redirectUri, known) !== undefined)
      throw invalid('redirect_uri', 'The client may no longer send you to the address of the request.');
    const resource = resourceOf(String(params['resource']), this.settings.PUBLIC_URL ?? '');
    if (resource === null) throw invalid('resource', 'The resource of the request is not known.');
    return { interaction, client, redirectUri, resource, ...scopesRequested(params, client) };
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
}

const formOf = (resumeState: string): AnswerForm => ({ kind: 'consent', subject: resumeState });
