import { ResponseField } from '@gw/web';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import { Route } from '../resource/route';
import { KeyReplacements } from './key-replacements.service';

export class SigningKeyResponse {
  @ResponseField.kind('signing-key') readonly object!: 'signing-key';
  @ResponseField.text({ description: 'Id of the key that signs from now on.', example: '0123456789abcdef' })
  readonly kid!: string;
}

@ControlRoutes('admin/organisation/signing-keys')
export class SigningKeysController {
  constructor(private readonly replacements: KeyReplacements) {}

  /**
   * Replaces all signing keys of the installation immediately, for use after one of them has been
   * disclosed.
   */
  @Route.post('rotate', 'organisation_settings.update', SigningKeyResponse)
  async rotate(@Caller() caller: Principal): Promise<SigningKeyResponse> {
    return { object: 'signing-key', kid: await this.replacements.replace(caller) };
  }
}
