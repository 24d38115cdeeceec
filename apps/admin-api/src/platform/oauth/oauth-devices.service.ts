import { OauthArtifactEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { userCodeForm } from '@gw/oauth';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan, type EntityManager } from 'typeorm';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import type { AuthenticatedSession } from '../auth/session.strategy';
import {
  assertFormToken,
  callerOf,
  formToken,
  applyDecision,
  type AnswerForm,
  type ConsentCaller,
} from './consent-decisions';
import type { DeviceView } from './device-pages';
import { GrantWriter, type Requested } from './grant-writer';
import { OauthArtifacts } from './oauth-artifacts';
import type { OauthWork } from './oauth-call';
import { OauthClients } from './oauth-clients';
import { OauthEngine } from './oauth-engine.service';
import { assertAllowed } from './oauth-policy';
import { OFFLINE, resourceOf, scopesRequested } from './oauth-resources';
import { choicesFor, seatOf } from './oauth-seats';
import { OauthTransactions } from './oauth-transactions';

/** Request of a device, as the protocol engine stores it. */
interface DevicePayload {
  readonly params: Readonly<Record<string, unknown>>;
  readonly deviceInfo?: { readonly ip?: string };
  readonly accountId?: string;
  readonly error?: string;
}

interface OpenDevice extends Requested {
  readonly row: OauthArtifactEntity;
  readonly deviceAddress: string | null;
}

export interface DeviceDecision {
  readonly userCode: string;
  readonly csrf: string;
  readonly approved: boolean;
  /** Workspace of the grant; null for the whole organisation. */
  readonly workspaceId: string | null;
}

const unknownCode = (): GatewayError =>
  invalid(
    'user_code',
    'The code is not known, has expired or was used. Look at your device, or begin again.',
  );

/**
 * Reads the requests of devices (RFC 8628) and applies the decisions of users who enter their
 * codes.
 */
@Injectable()
export class OauthDevices {
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
   * Returns the name of the client whose device shows the code. Throws `validation_failed` for a
   * code that is not pending.
   */
  async clientName(userCode: string): Promise<string> {
    return (await this.read(this.dataSource.manager, userCode)).client.name;
  }

  /**
   * Returns the contents of the page for a device's request. Throws as `clientName` does, and
   * `forbidden` for a client of another organisation.
   */
  async view(userCode: string, session: AuthenticatedSession): Promise<DeviceView> {
    const { manager } = this.dataSource;
    const { client, resource, scopes, deviceAddress } = await this.read(manager, userCode);
    assertOfOrganisation(client, session);
    await assertAllowed(manager, session.organisationId, { kind: client.kind, byDevice: true });
    const seat = await seatOf(manager, { ...session, workspaceId: null });
    return {
      userCode: userCodeForm(userCode) ?? '',
      clientName: client.name,
      resourceName: resource.name,
      ...{ scopes, deviceAddress },
      ...(await choicesFor(manager, session, resource)),
      email: seat?.email ?? '',
      csrf: formToken(this.secrets.oauthPageKey, formOf(userCode), session),
      error: null,
    };
  }

  /**
   * Applies the user's decision once. Throws as `view` does, and `forbidden` for a workspace to
   * which the user does not belong.
   */
  async answer(caller: ConsentCaller, answer: DeviceDecision): Promise<void> {
    await applyDecision(this.transactions, caller, (work) => this.take(work, caller, answer));
  }

  private async take(work: OauthWork, caller: ConsentCaller, answer: DeviceDecision): Promise<void> {
    const { manager } = work;
    const form = formOf(answer.userCode);
    assertFormToken(this.secrets.oauthPageKey, form, caller.session, answer.csrf);
    const open = await this.read(manager, answer.userCode, true);
    const { client, resource, row } = open;
    assertOfOrganisation(client, caller.session);
    const clientDetails = { client_id: client.clientId, client_name: client.name, resource: resource.url };
    const about = { resourceType: 'oauth_grants', workspaceId: answer.workspaceId } as const;
    if (!answer.approved) {
      await this.decide(manager, row, { error: 'access_denied', errorDescription: 'the user refused' });
      const entry = { action: 'refuse', ...about, resourceId: null, after: clientDetails };
      work.audits.push({ caller: callerOf(caller), entry });
      return;
    }
    const { userId } = caller.session;
    const place = { ...caller.session, workspaceId: answer.workspaceId };
    const { grantId, scopes } = await this.writer.write(await this.engine.provider(), work, open, place);
    const scope = [...(open.offline ? [OFFLINE] : []), ...scopes].join(' ');
    const authTime = Math.floor(Date.now() / 1_000);
    await this.decide(manager, row, { accountId: userId, grantId, scope, resource: resource.url, authTime });
    await manager.update(OauthArtifactEntity, { idHash: row.idHash }, { grantId, userId });
    const entry = {
      action: 'create',
      ...about,
      resourceId: grantId,
      after: { ...clientDetails, scopes, by: 'device' },
    };
    work.audits.push({ caller: callerOf(caller), entry });
  }

  private async decide(manager: EntityManager, row: OauthArtifactEntity, more: object): Promise<void> {
    await manager.update(
      OauthArtifactEntity,
      { idHash: row.idHash },
      { payload: { ...row.payload, ...more } },
    );
  }

  private async read(manager: EntityManager, userCode: string, forDecision = false): Promise<OpenDevice> {
    const code = userCodeForm(userCode);
    if (code === undefined) throw unknownCode();
    const row = await manager.findOne(OauthArtifactEntity, {
      where: {
        model: 'DeviceCode',
        userCodeHash: this.artifacts.hash('UserCode', code.replace('-', '')),
        expiresAt: MoreThan(new Date()),
        consumedAt: IsNull(),
      },
      ...(forDecision ? { lock: { mode: 'pessimistic_write' } } : {}),
    });
    if (row === null) throw unknownCode();
    const { params, deviceInfo, accountId, error } = row.payload as DevicePayload;
    if (accountId !== undefined || error !== undefined) throw unknownCode();
    const client = await this.clients.row(String(params['client_id']));
    const resource = resourceOf(String(params['resource']), this.settings.PUBLIC_URL ?? '');
    if (client === null || resource === null) throw unknownCode();
    return {
      ...{ row, client, resource },
      ...scopesRequested(params, client),
      byDevice: true,
      deviceAddress: deviceInfo?.ip ?? null,
    };
  }
}

const formOf = (userCode: string): AnswerForm => ({
  kind: 'device',
  subject: userCodeForm(userCode) ?? '',
});

function assertOfOrganisation(client: Requested['client'], { organisationId }: AuthenticatedSession): void {
  if (client.organisationId !== null && client.organisationId !== organisationId)
    throw new GatewayError('forbidden', { message: 'The client is of another organisation.' });
}
