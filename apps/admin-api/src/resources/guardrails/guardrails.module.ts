import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { Module } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { SecretReferencesModule } from '../secret-references/secret-references.module';
import { SETTINGS, type AdminSettings } from '../../platform/settings';
import { DefaultGuardrailsService } from './default-guardrails.service';
import { GuardrailContents } from './guardrail-contents';
import { DefaultGuardrailsController, GuardrailsController } from './guardrails.controller';
import { GuardrailsService } from './guardrails.service';
import { InvocationService } from './invocation.service';
import { McpMappingsService } from './mcp-mappings.service';
import { OutboundGuardrailWorld } from './outbound-guardrail-world';
import { GuardrailQualityController, GuardrailServersController } from './quality.controller';
import { QualityService } from './quality.service';

@Module({
  imports: [SecretReferencesModule],
  controllers: [
    GuardrailsController,
    GuardrailQualityController,
    GuardrailServersController,
    DefaultGuardrailsController,
  ],
  providers: [
    GuardrailsService,
    GuardrailContents,
    DefaultGuardrailsService,
    InvocationService,
    OutboundGuardrailWorld,
    McpMappingsService,
    QualityService,
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
