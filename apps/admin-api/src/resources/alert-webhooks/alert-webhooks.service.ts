import { randomBytes } from 'node:crypto';
import { AlertWebhookEntity, OrganisationEntity, webhookBinding } from '@gw/entities';
import { assertAllowedUrl, GatewayError, seal, uuidv7, type AddressPolicy } from '@gw/kernel';
import { assign, listOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, idOf, reach } from '../../platform/auth/tenancy';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  createRow,
  deleteRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { Secrets } from '../../settings';
import {
  AlertWebhookFields,
  toAlertWebhook,
  type AlertWebhookResponse,
  type CreateAlertWebhookDto,
  type CreatedAlertWebhookResponse,
  type ListAlertWebhooksQuery,
  type UpdateAlertWebhookDto,
  type UpdatedAlertWebhookResponse,
} from './alert-webhooks.dto';

/**
 * Maximum number of webhooks of one workspace, and separately of the whole organisation, because
 * every alert is sent to all of them.
 */
const WEBHOOKS_MAX = 10;
const SECRET_BYTES = 32;

const WEBHOOK: Resource<AlertWebhookEntity> = {
  entity: AlertWebhookEntity,
  type: 'alert_webhooks',
  view: toAlertWebhook,
  where: (caller, reference) => ({ ...reach(caller), id: idOf(reference) }),
};

/** Manages the webhooks that receive budget alerts. */
@Injectable()
export class AlertWebhooksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  create(caller: Principal, input: CreateAlertWebhookDto): Promise<CreatedAlertWebhookResponse> {
    assertAllowedUrl(this.addresses, input.url, 'url');
    const { organisationId, workspaceId } = caller;
    const { name, url, enabled = true } = input;
    const id = uuidv7();
    const { secret, sealedSecret } = this.newSecret(id);
    return this.writes.run(caller, async (write) => {
      await assertRoom(write.manager, caller);
      await createRow(write, WEBHOOK, {
        ...{ id, organisationId, workspaceId, name, url, enabled, sealedSecret },
      });
      return { id, secret, object: 'alert-webhook' };
    });
  }

  async list(caller: Principal, query: ListAlertWebhooksQuery): Promise<ListResponse<AlertWebhookResponse>> {
    const where = reach(caller);
    const [rows, total] = await listRows(this.dataSource.manager, WEBHOOK, query, { where });
    return listOf([rows.map(toAlertWebhook), total]);
  }

  async get(at: ResourceReference): Promise<AlertWebhookResponse> {
    return toAlertWebhook(await findRow(this.dataSource.manager, WEBHOOK, at));
  }

  /**
   * Updates a webhook. A new address gets a new secret, since the old one belongs to the old
   * receiver.
   */
  update(at: ResourceReference, input: UpdateAlertWebhookDto): Promise<UpdatedAlertWebhookResponse> {
    if (input.url !== undefined) assertAllowedUrl(this.addresses, input.url, 'url');
    return this.writes.run(at.caller, async (write) => {
      let renewed: UpdatedAlertWebhookResponse = {};
      await patchRow(write, WEBHOOK, at, (row) => {
        if (input.url !== undefined && input.url !== row.url) {
          const { secret, sealedSecret } = this.newSecret(row.id);
          row.sealedSecret = sealedSecret;
          renewed = { secret };
        }
        assign(AlertWebhookFields, row, input);
      });
      return renewed;
    });
  }

  /** Deletes a webhook and its queued alerts. */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) => deleteRow(write, WEBHOOK, at));
  }

  private newSecret(id: string): { readonly secret: string; readonly sealedSecret: string } {
    const secret = randomBytes(SECRET_BYTES);
    return {
      secret: `whsec_${secret.toString('base64')}`,
      sealedSecret: seal(this.secrets.sealingKeyring, secret, webhookBinding(id)),
    };
  }
}

/** Throws `conflict` when the maximum number of webhooks exists. */
async function assertRoom(manager: EntityManager, { organisationId, workspaceId }: Principal): Promise<void> {
  // The lock on the organisation's row serialises concurrent creations.
  found(await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE }));
  const where = { organisationId, workspaceId: workspaceId ?? IsNull() };
  if ((await manager.countBy(AlertWebhookEntity, where)) < WEBHOOKS_MAX) return;
  throw new GatewayError('conflict', {
    message: `A workspace can have ${String(WEBHOOKS_MAX)} alert webhooks, and so can the organisation; delete one first.`,
  });
}
