import { randomBytes } from 'node:crypto';
import { AlertWebhookEntity, OrganisationEntity, webhookBinding } from '@gw/entities';
import { assertAllowedUrl, GatewayError, seal, uuidv7, type AddressPolicy } from '@gw/kernel';
import { assertMatches, listOf, rowFields, windowOf, type ListAnswer } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, isUuid, reach } from '../../platform/auth/tenancy';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { Secrets } from '../../platform/settings';
import type {
  AlertWebhookAnswer,
  CreateAlertWebhookDto,
  CreatedAlertWebhookAnswer,
  ListAlertWebhooksQuery,
  UpdateAlertWebhookDto,
  UpdatedAlertWebhookAnswer,
} from './alert-webhooks.dto';

/** Of one workspace, and as many of the whole organisation: every alert goes to all of them. */
const WEBHOOKS_MAX = 10;
const SECRET_BYTES = 32;
const RESOURCE = 'alert_webhooks';

/** Where alerts of budgets are posted to. */
@Injectable()
export class AlertWebhooksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  create(caller: Principal, input: CreateAlertWebhookDto): Promise<CreatedAlertWebhookAnswer> {
    assertAllowedUrl(this.addresses, input.url, 'url');
    const { organisationId, workspaceId } = caller;
    const { name, url, enabled = true } = input;
    const id = uuidv7();
    const secret = randomBytes(SECRET_BYTES);
    const sealedSecret = seal(this.secrets.sealingKeyring, secret, webhookBinding(id));
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertRoom(manager, caller);
      const row = await manager.save(
        manager.create(AlertWebhookEntity, {
          ...{ id, organisationId, workspaceId, name, url, enabled, sealedSecret },
        }),
      );
      const after = toAlertWebhook(row);
      write.audit({ action: 'create', resourceType: RESOURCE, resourceId: id, workspaceId, after });
      return { id, secret: shownSecret(secret), object: 'alert-webhook' };
    });
  }

  async list(caller: Principal, query: ListAlertWebhooksQuery): Promise<ListAnswer<AlertWebhookAnswer>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(AlertWebhookEntity, {
      where: reach(caller),
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return listOf([rows.map(toAlertWebhook), total]);
  }

  async get(caller: Principal, id: string): Promise<AlertWebhookAnswer> {
    return toAlertWebhook(await findWebhook(this.dataSource.manager, caller, id));
  }

  update(
    caller: Principal,
    id: string,
    input: UpdateAlertWebhookDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedAlertWebhookAnswer> {
    if (input.url !== undefined) assertAllowedUrl(this.addresses, input.url, 'url');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findWebhook(manager, caller, id, true);
      assertMatches(ifMatch, row);
      const before = toAlertWebhook(row);
      if (input.name !== undefined) row.name = input.name;
      const renewed = input.url === undefined || input.url === row.url ? {} : this.moved(row, input.url);
      if (input.enabled !== undefined) row.enabled = input.enabled;
      const after = toAlertWebhook(await manager.save(row));
      const { workspaceId } = row;
      write.audit({
        action: 'update',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId,
        before,
        after,
      });
      return renewed;
    });
  }

  /** A secret is one receiver's: another address gets another one. */
  private moved(row: AlertWebhookEntity, url: string): UpdatedAlertWebhookAnswer {
    const secret = randomBytes(SECRET_BYTES);
    row.url = url;
    row.sealedSecret = seal(this.secrets.sealingKeyring, secret, webhookBinding(row.id));
    return { secret: shownSecret(secret) };
  }

  /** With all that waits for it. */
  remove(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findWebhook(manager, caller, id, true);
      assertMatches(ifMatch, row);
      const before = toAlertWebhook(row);
      const { workspaceId } = row;
      await manager.delete(AlertWebhookEntity, { id: row.id });
      write.audit({ action: 'delete', resourceType: RESOURCE, resourceId: before.id, workspaceId, before });
      return {};
    });
  }
}

const shownSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/** Throws `conflict` when there are as many as there may be. */
async function assertRoom(manager: EntityManager, { organisationId, workspaceId }: Principal): Promise<void> {
  // The organisation's row serialises two writers that both want the last place.
  found(await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_UPDATE }));
  const where = { organisationId, workspaceId: workspaceId ?? IsNull() };
  if ((await manager.countBy(AlertWebhookEntity, where)) < WEBHOOKS_MAX) return;
  throw new GatewayError('conflict', {
    message: `There are at most ${String(WEBHOOKS_MAX)} alert webhooks of a workspace, and of the organisation.`,
  });
}

async function findWebhook(
  manager: EntityManager,
  caller: Principal,
  id: string,
  forUpdate = false,
): Promise<AlertWebhookEntity> {
  const where = { ...reach(caller), id: found(isUuid(id) ? id.toLowerCase() : null) };
  return found(
    await manager.findOne(AlertWebhookEntity, { where, ...(forUpdate ? { lock: FOR_UPDATE } : {}) }),
  );
}

const toAlertWebhook = (row: AlertWebhookEntity): AlertWebhookAnswer => ({
  id: row.id,
  name: row.name,
  url: row.url,
  enabled: row.enabled,
  workspace_id: row.workspaceId,
  organisation_id: row.organisationId,
  object: 'alert-webhook',
  ...rowFields(row),
});
