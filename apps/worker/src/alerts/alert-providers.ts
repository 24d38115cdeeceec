import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { mailServerOf } from '@gw/mail';
import { BufferedClient } from '@gw/outbound';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AlertsProcessor } from '../jobs/alerts/alerts.processor';
import { WebhookSender } from '../jobs/alerts/webhook-sender';
import { keyringOf, type WorkerSettings } from '../settings';
import { LimitAlerts } from './limit-alerts';

/** Providers that create budget alerts and deliver them. */
export const alertProviders = (settings: WorkerSettings, log: Log): Provider[] => {
  const { TRUSTED_CUSTOM_HOSTS, HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = settings;
  const keyring = keyringOf(settings);
  return [
    {
      provide: LimitAlerts,
      useFactory: () => new LimitAlerts(mailServerOf(settings) ? keyring : null, settings.AUDIT_LOGS_ENABLED),
    },
    {
      provide: AlertsProcessor,
      inject: [DataSource],
      useFactory: (source: DataSource) => {
        const client = new BufferedClient({
          policy: createAddressPolicy({ trustedHosts: parseTrustedHosts(TRUSTED_CUSTOM_HOSTS) }),
          proxy: { httpProxy: HTTP_PROXY, httpsProxy: HTTPS_PROXY, noProxy: NO_PROXY },
        });
        return new AlertsProcessor(source, new WebhookSender(client), keyring, log);
      },
    },
  ];
};
