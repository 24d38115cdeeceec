import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { Module } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { SETTINGS, type AdminSettings } from '../../platform/settings';
import { DeploymentsController } from './deployments.controller';
import { DeploymentsService } from './deployments.service';

@Module({
  controllers: [DeploymentsController],
  providers: [
    DeploymentsService,
    {
      provide: BufferedClient,
      inject: [ADDRESS_POLICY, SETTINGS],
      useFactory: (policy: AddressPolicy, { HTTP_PROXY, HTTPS_PROXY, NO_PROXY }: AdminSettings) =>
        new BufferedClient({
          policy,
          proxy: { httpProxy: HTTP_PROXY, httpsProxy: HTTPS_PROXY, noProxy: NO_PROXY },
        }),
    },
  ],
})
export class DeploymentsModule {}
