import { documentKey } from '@gw/contracts';
import { OrganisationEntity, replaceSigningKeys } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { Secrets } from '../../settings';
import { assertNotAbove, rankOfRole } from '../auth/grants';
import { inOrganisation } from '../auth/tenancy';
import type { Principal } from '../common/principal';
import { Writes } from '../unit-of-work/writes';
import { OauthEngine } from './oauth-engine.service';

/** Emergency replacement of signing keys after one of them has been disclosed. */
@Injectable()
export class KeyReplacements {
  constructor(
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    private readonly engine: OauthEngine,
  ) {}

  /**
   * Replaces all signing keys and returns the id of the new one. Other processes use it within a
   * minute. The keys belong to the whole installation, so this throws `forbidden` for callers below
   * owners and when there are other organisations.
   */
  async replace(caller: Principal): Promise<string> {
    const { organisationId } = inOrganisation(caller);
    assertNotAbove(caller, rankOfRole('owner', null));
    const kid = await this.writes.run(caller, async (write) => {
      const { manager } = write;
      if (await manager.existsBy(OrganisationEntity, { id: Not(organisationId) }))
        throw new GatewayError('forbidden', {
          message:
            'The keys are shared by all organisations; the operator of the installation replaces them with tools/rotate-signing-keys.cjs.',
        });
      const made = await replaceSigningKeys(manager, this.secrets.sealingKeyring, new Date());
      write.changed(documentKey.signingKey(), documentKey.cardKey());
      write.audit({ action: 'rotate', resourceType: 'signing_keys', resourceId: null, after: { kid: made } });
      return made;
    });
    this.engine.rebuild();
    return kid;
  }
}
