import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import { createSecretReader, type SecretReader } from '@gw/secret-managers';
import { Module } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../platform/settings';
import { SecretReferencesController } from './secret-references.controller';
import { SECRET_READER, SecretReferencesService } from './secret-references.service';

function secretReader(settings: AdminSettings): SecretReader {
  const trustedHosts = parseTrustedHosts(settings.TRUSTED_CUSTOM_HOSTS);
  return createSecretReader({
    settings,
    policy: createAddressPolicy({ trustedHosts }),
    trustedHosts,
    proxy: { httpProxy: settings.HTTP_PROXY, httpsProxy: settings.HTTPS_PROXY, noProxy: settings.NO_PROXY },
  });
}

@Module({
  controllers: [SecretReferencesController],
  providers: [
    SecretReferencesService,
    { provide: SECRET_READER, inject: [SETTINGS], useFactory: secretReader },
  ],
  exports: [SECRET_READER],
})
export class SecretReferencesModule {}
