import { mailServerOf } from '@gw/mail';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AlertsProcessor } from '../jobs/alerts/alerts.processor';
import { WebhookSender } from '../jobs/alerts/webhook-sender';
import { keyringOf, type WorkerSettings } from '../settings';
import { tenantsClient } from '../tenants-client';
import { LimitAlerts } from './limit-alerts';

/** Providers that create budget alerts and deliver them. */
export const alertProviders = (settings: WorkerSettings, log: Log): Provider[] => {
  const keyring = keyringOf(settings);
  return [
    {
      provide: LimitAlerts,
      useFactory: () => new LimitAlerts(mailServerOf(settings) ? keyring : null, settings.AUDIT_LOGS_ENABLED),
    },
    {
      provide: AlertsProcessor,
      inject: [DataSource],
      useFactory: (source: DataSource) =>
        new AlertsProcessor(source, new WebhookSender(tenantsClient(settings)), keyring, log),
    },
  ];
};
