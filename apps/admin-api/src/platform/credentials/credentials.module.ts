import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { Global, Module } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../settings';
import { CredentialsService } from './credentials.service';
import { GuardrailCredentials } from './guardrail-credentials';
import { ADDRESS_POLICY, IntegrationCredentials } from './integration-credentials';
import { SecretAccess } from './secret-access';

/** Global: several resources take credentials and addresses. */
@Global()
@Module({
  providers: [
    CredentialsService,
    IntegrationCredentials,
    SecretAccess,
    GuardrailCredentials,
    {
      provide: ADDRESS_POLICY,
      inject: [SETTINGS],
      useFactory: ({ TRUSTED_CUSTOM_HOSTS }: AdminSettings) =>
        createAddressPolicy({ trustedHosts: parseTrustedHosts(TRUSTED_CUSTOM_HOSTS) }),
    },
  ],
  exports: [CredentialsService, IntegrationCredentials, SecretAccess, GuardrailCredentials, ADDRESS_POLICY],
})
export class CredentialsModule {}
