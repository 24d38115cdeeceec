import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Secrets, SETTINGS, type AdminSettings } from './settings';

/** Settings, keys of the installation, and what is made of them alone; seen by every module. */
@Global()
@Module({})
export class SettingsModule {
  static with(settings: AdminSettings): DynamicModule {
    const secrets = new Secrets(
      settings.ENCRYPTION_KEY,
      settings.SERVICE_TOKEN,
      settings.ENCRYPTION_KEYS_PREVIOUS,
    );
    return {
      module: SettingsModule,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: Secrets, useValue: secrets },
      ],
      exports: [SETTINGS, Secrets],
    };
  }
}
