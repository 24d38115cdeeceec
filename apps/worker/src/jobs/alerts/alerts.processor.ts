import { webhookBinding } from '@gw/entities';
import { alertsJob, type JobProcessor } from '@gw/jobs';
import { unseal, type Keyring } from '@gw/kernel';
import { claimDelivery, dropStaleAlerts, finishDelivery, type DueDelivery } from '@gw/ledger-store';
import { OutboundError } from '@gw/outbound';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';
import type { WebhookSender } from './webhook-sender';

/** Maximum number of deliveries in one run; the rest is left for the next run. */
const BATCH = 200;
/** Number of concurrent deliveries, so that a hanging receiver does not block the others. */
const CONCURRENCY = 8;

/**
 * Delivers budget alerts. Safe to run twice and on many machines: a delivery belongs to the worker
 * that claimed it until its next attempt is due. If a worker dies after the receiver accepted and
 * before the deletion, the alert is posted again under the same id.
 */
export class AlertsProcessor implements JobProcessor {
  readonly spec = alertsJob;

  constructor(
    private readonly source: DataSource,
    private readonly sender: WebhookSender,
    /**
     * Opens webhook secrets; null if this process cannot, so that deliveries wait for a worker that
     * can.
     */
    private readonly keyring: Keyring | null,
    private readonly log: Log,
  ) {}

  async process(): Promise<void> {
    await dropStaleAlerts(this.source.manager);
    const { keyring } = this;
    if (keyring === null) return;
    let remaining = BATCH;
    const deliverAll = async (): Promise<void> => {
      while (remaining > 0) {
        remaining -= 1;
        const delivery = await claimDelivery(this.source.manager);
        if (delivery === null) return;
        await this.deliver(delivery, keyring);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, deliverAll));
  }

  private async deliver(delivery: DueDelivery, keyring: Keyring): Promise<void> {
    const { id, alertId, webhookId, organisationId, isLast } = delivery;
    const failure = await this.failureOf(delivery, keyring);
    if (failure !== null) {
      this.log.warn(
        { alertId, webhookId, organisationId, ...failure },
        isLast ? 'gave up on an alert' : 'failed to deliver an alert; retrying later',
      );
    }
    if (failure === null || isLast) await finishDelivery(this.source.manager, id);
  }

  /** Attempts a delivery; returns null if it succeeded. */
  private async failureOf(
    { alertId, url, event, webhookId, sealedSecret }: DueDelivery,
    keyring: Keyring,
  ): Promise<object | null> {
    try {
      const secret = unseal(keyring, sealedSecret, webhookBinding(webhookId));
      const status = await this.sender.post({ url, id: alertId, body: JSON.stringify(event), secret });
      return status >= 200 && status < 300 ? null : { status };
    } catch (error) {
      return error instanceof OutboundError ? { failure: error.failure } : describeFault(error);
    }
  }
}
