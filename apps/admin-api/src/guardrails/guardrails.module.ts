import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { Module } from '@nestjs/common';
import { ADDRESS_POLICY } from '../credentials/integration-credentials';
import { SETTINGS, type AdminSettings } from '../settings';
import { DefaultGuardrailsService } from './default-guardrails.service';
import { GuardrailContents } from './guardrail-contents';
import { DefaultGuardrailsController, GuardrailsController } from './guardrails.controller';
import { GuardrailsService } from './guardrails.service';
import { InvocationService } from './invocation.service';
import { OutboundGuardrailWorld } from './outbound-guardrail-world';

@Module({
  controllers: [GuardrailsController, DefaultGuardrailsController],
  providers: [
    GuardrailsService,
    GuardrailContents,
    DefaultGuardrailsService,
    InvocationService,
    OutboundGuardrailWorld,
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
export class GuardrailsModule {}
