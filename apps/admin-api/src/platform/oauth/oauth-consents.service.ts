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
  applyDecision,
  type AnswerForm,
  type ConsentCaller,
} from './consent-decisions';
import { GrantWriter } from './grant-writer';
import { assertAllowed } from './oauth-policy';
import { grantedBefore, type RepeatedRequest } from './remembered-consents';
import { resourceOf, scopesRequested } from './oauth-resources';
import { choicesFor, seatOf } from './oauth-seats';
import { OauthTransactions } from './oauth-transactions';

type Interaction = InstanceType<Provider['Interaction']>;

export interface ConsentDecision {
  readonly resumeState: string;
  readonly csrf: string;
  readonly approved: boolean;
  /** Workspace of the grant; null for the whole organisation. */
  readonly workspaceId: string | null;
}

/** A request for consent that has been read and checked. */
interface OpenRequest extends RepeatedRequest {
  readonly interaction: Interaction;
}

/** Reads clients' requests for access and applies the users' decisions. */
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

  /**
   * Returns the name of the client of an undecided request. Throws `validation_failed` for any
   * other request.
   */
  async clientName(resumeState: string): Promise<string> {
    return (await this.read(resumeState)).client.name;
  }

  /**
   * Returns the contents of the consent page. Throws `validation_failed` for a request that has
   * ended, and `forbidden` when another user has opened it.
   */
  async view(resumeState: string, { session }: ConsentCaller): Promise<ConsentView> {
    const open = await this.read(resumeState);
    await this.own(open, session);
    await assertAllowed(this.dataSource.manager, session.organisationId, { ...open.client, byDevice: false });
    const { client, redirectUri, resource, scopes } = open;
    const seat = await seatOf(this.dataSource.manager, { ...session, workspaceId: null });
    return {
      resumeState,
      clientName: client.name,
      clientKind: client.kind,
      clientHost: client.kind === 'document' ? shownHost(client.clientId) : null,
      redirect: { host: shownHost(redirectUri), isLoopback: isLoopbackRedirect(redirectUri) },
      resourceName: resource.name,
      scopes,
      ...(await choicesFor(this.dataSource.manager, session, resource)),
      email: seat?.email ?? '',
      csrf: formToken(this.secrets.oauthPageKey, formOf(resumeState), session),
      error: null,
    };
  }

  /**
   * Applies the user's decision once and returns the URL to which the browser goes. Throws as
   * `view` does, and `forbidden` for a workspace to which the user does not belong.
   */
  async answer(caller: ConsentCaller, answer: ConsentDecision): Promise<{ readonly redirect_uri: string }> {
    return applyDecision(
      this.transactions,
      caller,
      (work) => this.take(work, caller, answer),
      // Reads the client's document, if it is one, before the transaction.
      () => this.read(answer.resumeState),
    );
  }

  /**
   * Decides a request in the same way as the user decided it before, and returns the URL to which
   * the browser goes. Returns null if the user must decide. Throws as `view` does.
   */
  async answerAsBefore(
    caller: ConsentCaller,
    resumeState: string,
  ): Promise<{ readonly redirect_uri: string } | null> {
    return applyDecision(
      this.transactions,
      caller,
      async (work) => {
        const open = await this.locked(work, resumeState);
        await this.own(open, caller.session);
        const earlierGrant = await grantedBefore(work.manager, open, caller.session);
        if (earlierGrant === null || !(await signedInFor(work, open, caller.session))) return null;
        const { id: rememberedFrom, workspaceId } = earlierGrant;
        await this.approve(work, caller, open, { workspaceId, rememberedFrom });
        return save(open);
      },
      () => this.read(resumeState),
    );
  }

  /** Ends the session of a sign-in for one consent. */
  async endSignIn({ id }: AuthenticatedSession): Promise<void> {
    await this.dataSource.manager.update(SessionEntity, { id }, { revokedAt: new Date() });
  }

  private async take(
    work: OauthWork,
    caller: ConsentCaller,
    answer: ConsentDecision,
  ): Promise<{ readonly redirect_uri: string }> {
    const open = await this.locked(work, answer.resumeState);
    const form = formOf(answer.resumeState);
    assertFormToken(this.secrets.oauthPageKey, form, caller.session, answer.csrf);
    await this.own(open, caller.session);
    if (answer.approved) await this.approve(work, caller, open, answer);
    else {
      open.interaction.result = { error: 'access_denied', error_description: 'the user refused' };
      const entry = { action: 'refuse', resourceType: 'oauth_grants', resourceId: null, after: shown(open) };
      work.audits.push({ caller: callerOf(caller), entry });
    }
    return save(open);
  }

  private async approve(
    work: OauthWork,
    caller: ConsentCaller,
    open: OpenRequest,
    {
      workspaceId,
      rememberedFrom = null,
    }: Pick<ConsentDecision, 'workspaceId'> & { rememberedFrom?: string | null },
  ): Promise<void> {
    const place = { ...caller.session, workspaceId };
    const provider = await this.engine.provider();
    const { grantId, scopes } = await this.writer.write(provider, work, open, place, rememberedFrom);
    const { userId: accountId } = caller.session;
    open.interaction.result = { login: { accountId, remember: false }, consent: { grantId } };
    work.audits.push({
      caller: callerOf(caller),
      entry: {
        ...{ action: 'create', resourceType: 'oauth_grants', resourceId: grantId, workspaceId },
        after: { ...shown(open), scopes, ...(rememberedFrom === null ? {} : { by: 'remembered' }) },
      },
    });
  }

  /** Locks and reads a request, so that no concurrent call can decide it. */
  private async locked(work: OauthWork, resumeState: string): Promise<OpenRequest> {
    const idHash = this.artifacts.hash('Interaction', resumeState);
    await work.manager.query('SELECT 1 FROM oauth_artifacts WHERE id_hash = $1 FOR UPDATE', [idHash]);
    return this.read(resumeState);
  }

  /**
   * Reads and checks a request again, because the rights of its client may have changed since the
   * request was made.
   */
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
    const rules = this.clients.redirectRules(client.kind === 'registered');
    if (!registered.redirectUriAllowed(redirectUri) || redirectUriFault(redirectUri, rules) !== undefined)
      throw invalid('redirect_uri', 'The client may no longer send you to the address of the request.');
    const resource = resourceOf(String(params['resource']), this.settings.PUBLIC_URL ?? '');
    if (resource === null) throw invalid('resource', 'The resource of the request is not known.');
    return {
      ...{ interaction, client, redirectUri, resource, byDevice: false },
      prompt: typeof params['prompt'] === 'string' ? params['prompt'] : '',
      ...scopesRequested(params, client),
    };
  }

  /**
   * Assigns a request to the first user who opens it. Throws `forbidden` for any other user and for
   * a client of another organisation.
   */
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

const shown = ({ client, resource }: OpenRequest): object => ({
  ...{ client_id: client.clientId, client_name: client.name, resource: resource.url },
});

/**
 * Whether a session was opened for the request; an older session may belong to another user of the
 * same browser.
 */
async function signedInFor(
  { manager }: OauthWork,
  { interaction }: OpenRequest,
  { id }: AuthenticatedSession,
): Promise<boolean> {
  const { createdAt } = await manager.findOneByOrFail(SessionEntity, { id });
  return createdAt.getTime() >= interaction.iat * 1_000;
}

async function save({ interaction }: OpenRequest): Promise<{ readonly redirect_uri: string }> {
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1_000));
  return { redirect_uri: interaction.returnTo };
}

const formOf = (resumeState: string): AnswerForm => ({ kind: 'consent', subject: resumeState });
